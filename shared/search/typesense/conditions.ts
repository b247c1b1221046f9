/** Conditions of `filter_by` that all hold. All operators have brackets around, for they bind alike there. */
export const andConditions = (conditions: readonly string[]) => conditions.map(bracketed).join(' && ');

/** Conditions of which one holds. */
export const orConditions = (conditions: readonly string[]) => conditions.map(bracketed).join(' || ');

/** How many of them there are in one. */
export const countConditions = (condition: string) => condition.split(OPERATORS).length;

const OPERATORS = / (?:&&|\|\|) /;
const bracketed = (condition: string) => (OPERATORS.test(condition) ? `(${condition})` : condition);
