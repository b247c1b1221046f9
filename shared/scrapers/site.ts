/** The host a scraper may crawl, and the hosts of its start URLs: `www.` does not count, ports do not either. */
export type SiteScope = { site: string; startUrls: readonly string[] };

/** True when links to this URL are followed: it is http(s), on the site itself or on the host of a start URL. */
export function isOnSite(url: string, { site, startUrls }: SiteScope): boolean {
  const parsed = URL.parse(url);
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return false;
  const host = bareHost(parsed.hostname);
  return host === bareHost(site) || startUrls.some((start) => bareHost(URL.parse(start)?.hostname ?? '') === host);
}

/** True for the site itself and every host below it. */
export function isWithinSite(hostname: string, site: string): boolean {
  const host = bareHost(hostname);
  return host === bareHost(site) || host.endsWith(`.${bareHost(site)}`);
}

/** The host name of a URL in lower case, as `site` is stored; undefined when it has none. */
export function siteOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.toLowerCase().replace(/\.$/, '') || undefined;
}

const bareHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
