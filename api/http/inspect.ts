const dateShape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d))?$/;

/** True for `YYYY-MM-DD`, or a date-time of RFC 3339, that is on the calendar: 2024-02-30 is not. */
export function isRealDate(text: string): boolean {
  const parts = dateShape.exec(text);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate() && year >= 1;
}
