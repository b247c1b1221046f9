/** One value, several separated by commas, or a list of such. */
export type ValueList = string | readonly string[];

/** The values of a list, each once; undefined when none was sent. */
export function splitList(values: ValueList | undefined): string[] | undefined {
  if (values === undefined) return undefined;
  return [...new Set([values].flat().flatMap((each) => each.split(',').map((value) => value.trim())))];
}
