/** Answers the placeholder of a value, the same one for the same name. */
export type Parameters = { (name: string, value: unknown): string; readonly values: unknown[] };

export function createParameters(): Parameters {
  const values: unknown[] = [];
  const placeholders = new Map<string, string>();
  const parameter = (name: string, value: unknown): string => {
    let placeholder = placeholders.get(name);
    if (placeholder === undefined) {
      placeholder = `$${values.push(value)}`;
      placeholders.set(name, placeholder);
    }
    return placeholder;
  };
  return Object.assign(parameter, { values });
}
