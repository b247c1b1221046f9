const units: [unit: string, pattern: RegExp][] = [
  [
    'hours',
    /(\d[\d.,' ]{0,8}) ?(?:engine |motor |running |operating |betriebs|motor)?(?:hours|hrs|std|stunden|heures|horas|ore|uur|timmar|timer|時間|시간)(?![\p{L}\p{N}])/gu,
  ],
  ['km', /(\d[\d.,' ]{0,8}) ?(?:km|kms|kilometers|kilometres|kilometer|miles|mi)(?![\p{L}\p{N}])/gu],
];
const owners =
  /\b(one|1|first|1st|single|original|second|2nd|two|2|only) owner|\b(erst|zweit)besitz|\b(erster|zweiter) hand|\b(premi[eè]re|seconde) main|\b([uú]nico) (?:due[nñ]o|propietario|proprietario)/gu;
/** What a shop says of its service, and less than a drive of an hour, tells nothing of an object. */
const shopHours = new Set([24, 48]);
const MIN_KM = 1_000;
const MAX_PARTICULARS = 12;

/**
 * What a description says that is true of one object and of no other of its kind: hours run, distance driven, how many have
 * owned it, and years after it was built (a refit, new sails). Where it says none of these it may be the maker's.
 */
export function readParticulars(description: string, year: number | undefined, now: number | undefined): string[] {
  const text = description.toLowerCase();
  const found = new Set<string>();
  for (const [unit, pattern] of units)
    for (const [, printed = ''] of text.matchAll(pattern)) {
      const amount = Number(printed.replaceAll(/[.,' ]/g, ''));
      if (unit === 'hours' ? amount > 0 && !shopHours.has(amount) : amount >= MIN_KM) found.add(`${unit}:${amount}`);
    }
  for (const [, ...named] of text.matchAll(owners)) found.add(`owner:${named.find(Boolean) ?? ''}`);
  if (year !== undefined && now !== undefined)
    for (const [printed] of text.matchAll(/(?<![\p{L}\p{N}.,-])(?:19|20)\d{2}(?![\p{L}\p{N}])/gu))
      if (Number(printed) > year && Number(printed) <= now) found.add(`year:${printed}`);
  return [...found].slice(0, MAX_PARTICULARS);
}
