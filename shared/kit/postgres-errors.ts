/** True when a statement broke that unique index or exclusion constraint: the database settled a race. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, constraint: broken } = error as { code?: string; constraint?: string };
  return (code === '23505' || code === '23P01') && broken === constraint;
}
