import type { AttributeTemplate, CategoryNode, CategoryWords, Locale, Texts } from './profile.ts';

/** What is read of a file. */
type Sections = {
  tagline: Texts;
  categories: readonly CategoryNode[];
  asset_types: readonly { id: string; attributes: readonly AttributeTemplate[] }[];
  locales: readonly Locale[];
  default_locale: Locale;
  category_words: Omit<CategoryWords, 'fallback'> & { fallback?: string | undefined };
  moderation: { works: readonly string[] };
  moved_categories: Readonly<Record<string, string>>;
};
type Path = (string | number)[];
type Contradiction = { path: Path; message: string };

/** What no section of a marketplace file says alone: ids that occur twice or are meant and do not exist, texts that lack a language. */
export function findContradictions(file: Sections): Contradiction[] {
  const {
    categories,
    asset_types: assetTypes,
    locales,
    default_locale: first,
    category_words: words,
    moderation,
  } = file;
  const ids = new Set<string>();
  const templates = new Set(assetTypes.map(({ id }) => id));
  const found: Contradiction[] = [];
  const note = (path: Path, message: string) => void found.push({ path, message });

  const speaksAll = (texts: Texts, path: Path) => {
    for (const locale of locales)
      if (texts[locale] === undefined) note([...path, locale], 'is missing: the marketplace speaks it');
  };
  speaksAll(file.tagline, ['tagline']);
  const walk = (node: CategoryNode, path: Path): void => {
    if (ids.has(node.id)) note([...path, 'id'], `'${node.id}' occurs twice`);
    ids.add(node.id);
    speaksAll(node.name, [...path, 'name']);
    if (node.asset_type !== undefined && !templates.has(node.asset_type))
      note([...path, 'asset_type'], `there is no asset type '${node.asset_type}'`);
    node.children?.forEach((child, index) => walk(child, [...path, 'children', index]));
  };
  categories.forEach((node, index) => walk(node, ['categories', index]));

  repeated(assetTypes.map(({ id }) => id)).forEach((index) => note(['asset_types', index, 'id'], 'occurs twice'));
  assetTypes.forEach(({ attributes }, index) => {
    const path = ['asset_types', index, 'attributes'];
    for (const at of repeated(attributes.map(({ key }) => key))) note([...path, at, 'key'], 'occurs twice');
    attributes.forEach(({ options = [], option_labels: labels = {} }, at) => {
      for (const option of Object.keys(labels))
        if (!options.includes(option)) note([...path, at, 'option_labels', option], 'is not among the options');
    });
  });

  if (!locales.includes(first)) note(['default_locale'], `'${first}' is not among the locales`);
  const known = (id: string, path: Path) => !ids.has(id) && note(path, `there is no category '${id}'`);
  if (words.fallback !== undefined) known(words.fallback, ['category_words', 'fallback']);
  words.accessories.forEach((id, index) => known(id, ['category_words', 'accessories', index]));
  for (const list of ['words', 'hints', 'generic', 'brands'] as const)
    for (const id of Object.keys(words[list])) known(id, ['category_words', list, id]);
  for (const [old, to] of Object.entries(file.moved_categories)) {
    known(to, ['moved_categories', old]);
    if (ids.has(old)) note(['moved_categories', old], 'is a category');
  }
  moderation.works.forEach((id, index) => known(id, ['moderation', 'works', index]));
  return found;
}

/** Where a value occurs that has occurred before. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
