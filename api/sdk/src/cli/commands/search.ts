import { unwrap } from '../../client.ts';
import type { components, paths } from '../../contract.ts';
import { UsageError, numberFlag, stringFlag, type Command, type FlagValues } from '../command.ts';
import { formatPrice } from '../output.ts';

type Query = NonNullable<paths['/api/listings']['get']['parameters']['query']>;
type Item = components['schemas']['ListingItem'];

/** Parameters of the search that are passed on as they are. */
const plainFilters = {
  category: 'category, or several with commas',
  'min-price': 'lowest price',
  'max-price': 'highest price',
  currency: 'currency that prices are compared in',
  condition: 'condition, or several with commas',
  country: 'country code, or several with commas',
  city: 'city',
  'seller-id': 'listings of one seller',
  near: 'place as LAT,LNG',
  'radius-km': 'how far from it',
  bbox: 'area as WEST,SOUTH,EAST,NORTH',
  'updated-since': 'only what has changed since then',
  sort: 'order: relevance, newest, price_asc, price_desc, distance, …',
  lang: 'language of the texts',
  cursor: 'the next page, as the page before names it',
} as const;

/** Searches listings. */
export const searchCommand: Command = {
  name: 'search',
  summary: 'find listings',
  positionals: '[WORD …]',
  arity: [0, 50],
  flags: {
    ...Object.fromEntries(
      Object.entries(plainFilters).map(([name, about]) => [name, { type: 'string' as const, value: 'VALUE', about }]),
    ),
    attr: {
      type: 'string',
      multiple: true,
      value: 'KEY=VALUE',
      about: 'attribute, such as brand=Bavaria or min_length=10; may be repeated',
    },
    limit: { type: 'string', value: 'N', about: 'most listings, 1 to 100' },
  },
  async run({ client, isJson, printJson, printTable, note }, values, words) {
    const page = await unwrap(client.GET('/api/listings', { params: { query: readQuery(values, words) } }));
    if (isJson) return printJson(page);
    printTable(['ID', 'TITLE', 'PRICE', 'YEAR', 'PLACE'], page.results.map(toCells));
    const { total, next_cursor: cursor } = page.pagination;
    note(`${page.results.length} of ${total}${cursor === null ? '' : `; --cursor ${cursor} shows the next`}`);
  },
};

function readQuery(values: FlagValues, words: string[]): Query {
  const filters = Object.keys(plainFilters).flatMap((name) => {
    const value = stringFlag(values, name);
    return value === undefined ? [] : [[name.replaceAll('-', '_'), value]];
  });
  const pairs = [values['attr'] ?? []].flat().map((each) => {
    const [, key, value] = /^(\w+)=(.+)$/s.exec(String(each)) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageError(`--attr has to be KEY=VALUE, not '${String(each)}'.`);
    return [key, value];
  });
  const limit = numberFlag(values, 'limit', 1);
  // The service checks the values, and says what is wrong with which.
  return {
    ...Object.fromEntries(filters),
    ...(words.length > 0 && { q: words.join(' ') }),
    ...(pairs.length > 0 && { attr: Object.fromEntries(pairs) }),
    ...(limit !== undefined && { limit }),
  } as Query;
}

const toCells = ({ id, title, price, attributes, location }: Item): string[] => [
  id,
  title,
  formatPrice(price),
  String(attributes?.['year'] ?? ''),
  [location.city, location.country].filter(Boolean).join(', '),
];
