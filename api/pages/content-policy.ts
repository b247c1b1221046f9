import type { Config } from '../../shared/kit/config.ts';

/** The Content-Security-Policy of the pages: files of their own, images from any https address, what is stored, the logo and the map, and forms that come back or lead to one of the targets. */
export function writeContentPolicy(
  { staticUrl, brand, map }: Pick<Config, 'staticUrl' | 'brand' | 'map'>,
  formTargets: readonly string[] = [],
): string {
  const images = [staticUrl, brand.logoUrl, map.tilesUrl].flatMap((url) => (url ? new URL(url).origin : []));
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    `img-src 'self' data: https: ${[...new Set(images)].join(' ')}`,
    ['form-action', "'self'", ...formTargets].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
