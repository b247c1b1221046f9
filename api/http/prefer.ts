/** RFC 7240: `respond-async`, and `wait=10` for a caller who waits less than the longest that there is. */
export function readPreference(
  header: string | undefined,
  maxSeconds: number,
): { respondAsync: boolean; waitSeconds: number } {
  const preferences = (header ?? '').split(',').map((preference) => preference.trim().toLowerCase());
  const wait = preferences.map((preference) => /^wait=(\d{1,4})$/.exec(preference)?.[1]).find(Boolean);
  return {
    respondAsync: preferences.includes('respond-async'),
    waitSeconds: Math.min(maxSeconds, wait === undefined ? maxSeconds : Number(wait)),
  };
}
