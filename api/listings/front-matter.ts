import { Document, isCollection, visit } from 'yaml';
import type { Listing } from './present.ts';

/** What every reader of YAML takes for a string as it stands, but for words like `no` and numbers, which are quoted anyway. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ,()/._'&+-]|:(?=[\p{L}\p{N}/]))*$/u;
const MERGE = 'tag:yaml.org,2002:merge';
/** Characters that some readers of YAML take for the end of a line, and others refuse. */
const unsafe = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** The facts of a listing as YAML: the keys that the interface lists, in its order and no others. */
export function renderFrontMatter({
  id,
  slug,
  title,
  price,
  condition,
  type,
  status,
  category,
  location,
  seller,
  images,
  tags,
}: Listing): string {
  return renderFacts(
    {
      id,
      slug,
      title,
      price: price.amount,
      currency: price.currency,
      negotiable: price.negotiable,
      condition,
      type,
      status,
      category: { id: category.id, name: category.name, path: category.path },
      location: { country: location.country, city: location.city, shipping: location.shipping },
      seller: {
        id: seller.id,
        name: seller.name,
        type: seller.type,
        verified: seller.verified,
        member_since: seller.member_since,
      },
      images: images.map(({ url, alt }) => (alt === undefined ? { url } : { url, alt })),
      tags,
    },
    [['category', 'path'], ['tags']],
  );
}

/**
 * Facts as YAML, each string on one line and quoted where a reader of YAML, 1.1 or 1.2, would take it for something else; the
 * lists at the paths in `inline` are each written on one line.
 */
export function renderFacts(facts: object, inline: readonly string[][] = []): string {
  const document = new Document(facts, {
    version: '1.1',
    // `<<` is a text here, to be quoted like others.
    merge: false,
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== MERGE),
    aliasDuplicateObjects: false,
  });
  for (const path of inline) {
    const list = document.getIn(path, true);
    if (isCollection(list)) list.flow = true;
  }
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && !plain.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({
      lineWidth: 0,
      blockQuote: false,
      doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
      flowCollectionPadding: false,
      directives: false,
    })
    .replaceAll(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
