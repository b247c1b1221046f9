/**
 * Programs that read pages for an index, a preview or a model, by what they call themselves: names that end in bot, crawler
 * or spider, and those of the rest that visit most. A browser or a client library is none.
 */
const crawler = new RegExp(
  [
    // CUBOT makes telephones.
    '(?<!cu)bots?(?![a-z])',
    'crawl(?:er|ing)?(?![a-z])',
    'spider(?![a-z])',
    'slurp',
    'facebookexternalhit',
    'meta-external',
    'whatsapp/',
    'embedly',
    'bingpreview',
    'google-(?:read-aloud|inspectiontool|extended)',
    'googleother',
    'mediapartners-google',
    'feedfetcher',
    'ia_archiver',
    'archive\\.org',
    'headlesschrome',
    'lighthouse',
    'pingdom',
    'uptimerobot',
    'statuscake',
    'censys',
    'masscan',
    'zgrab',
  ].join('|'),
  'i',
);

/** Whether a user agent names a crawler. */
export function isCrawler(userAgent: string): boolean {
  return crawler.test(userAgent);
}
