import type { Request, Response } from 'express';
import type { Operation } from './contract.ts';
import type { Links } from './links.ts';

/**
 * Says on every answer, errors too, what of the request will end: Deprecation (RFC 9745) since when, Sunset (RFC 8594) until when, and
 * a Link to what replaces it. Of several ends the one that comes first counts.
 */
export function announceDeprecation(
  { deprecations }: Operation,
  request: Request,
  response: Response,
  links: Links,
): void {
  const [first] = deprecations
    .filter(({ parameter }) => parameter === undefined || parameter in request.query)
    .toSorted((a, b) => a.sunset.getTime() - b.sunset.getTime());
  if (!first) return;
  response.setHeader('Deprecation', `@${first.since.getTime() / 1_000}`);
  response.setHeader('Sunset', first.sunset.toUTCString());
  response.setHeader(
    'Link',
    `<${links.base}/api/reference/${first.replacedBy}.md>; rel="deprecation"; type="text/markdown"`,
  );
}
