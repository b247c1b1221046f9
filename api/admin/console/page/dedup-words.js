const titles = [
  'title',
  'title_full',
  'title_part',
  'told_elsewhere',
  'only_in_one',
  'own_words',
  'own_count',
  'shared_mass',
  'rarest_shared',
  'in_order',
  'letters',
  'told_both',
  'near_words',
  'own_most',
];

/** What each signal of the score is about, and what it says by itself. */
const signals = new Map(
  Object.entries({
    ...Object.fromEntries(titles.map((signal) => [signal, ['Titles']])),
    code_shared: ['Codes and numbers', 'a model code in common'],
    code_other: ['Codes and numbers', 'different model codes'],
    number_shared: ['Codes and numbers', 'a number in common'],
    measure_shared: ['Codes and numbers', 'a measure in common'],
    number_other: ['Codes and numbers', 'different numbers'],
    number_one_sided: ['Codes and numbers', 'a number in one only'],
    measure_other: ['Codes and numbers', 'different measures'],
    description: ['Descriptions'],
    description_unknown: ['Descriptions', 'too short to compare'],
    price_far: ['Prices', 'apart'],
    price_same: ['Prices', 'the same'],
    price_unknown: ['Prices', 'none to compare'],
    brand_shared: ['Makers', 'the same'],
    brand_other: ['Makers', 'different'],
    product_same: ['Products', 'the same product number'],
    product_other: ['Products', 'different product numbers'],
    picture_rare: ['Pictures', 'one that few others show'],
    picture: ['Pictures'],
    agreeing: ['Other listings', 'facts agree'],
    strays_less: ['Other listings', 'words that only the other has'],
    strays_more: ['Other listings', 'words that only this one has'],
    rival: ['Other listings', 'another listing is more alike'],
    alike_less: ['Other listings', 'how many are as alike'],
    alike_more: ['Other listings', 'how many are as alike'],
    in_shops: ['Other listings', 'shops offer the same product'],
    picture_same: ['Pictures', 'the same'],
    picture_near: ['Pictures', 'almost the same'],
    picture_alike: ['Pictures', 'alike'],
    picture_other: ['Pictures', 'different'],
    picture_unknown: ['Pictures', 'none to compare'],
  }),
);

const restraints = new Map(
  Object.entries({
    hull_id: 'Different hull or serial numbers: two things.',
    year: 'Different years: two boats.',
    length: 'Different lengths: two boats.',
    type: 'One is offered, the other wanted.',
    same_hull_id: 'The same hull or serial number: one thing, unless other makes carry it too.',
    same_text:
      'The same seller, and the same text with particulars of the thing: one thing, unless the seller says them of others.',
    same_images: 'Three images in common, and price, year and place agree: one thing, unless others show them too.',
    new_stock: 'New stock: each seller has one of its own. Held below detection.',
    same_seller: 'Both from one seller or site, who may well have two alike: held below detection.',
    other_measure: 'Another measure in the title, such as the size of a pack: held below detection.',
    far_apart: 'Not known to be in one town: held below detection.',
    nothing_own: 'Neither price, text nor image in common: held below detection.',
    nothing_unique: 'Nothing that only one thing in the world has: never merged without a decision.',
  }),
);

const spoken = (name) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
const aboutOf = (signal) => signals.get(signal) ?? [spoken(signal)];

/** What these signals are about, each topic once. */
export const nameTopics = (names) => [...new Set(names.map((name) => aboutOf(name)[0]))];

/**
 * The reasons of a score by topic, the weightiest first. Signals of one topic overlap, so that only their sum says something.
 * @param {{ signal: string, weight: number }[]} reasons
 */
export function sumUpReasons(reasons) {
  const topics = new Map();
  for (const { signal, weight } of reasons) {
    const [topic, note] = aboutOf(signal);
    const known = topics.get(topic) ?? { topic, weight: 0, notes: [] };
    topics.set(topic, { topic, weight: known.weight + weight, notes: note ? [...known.notes, note] : known.notes });
  }
  return [...topics.values()].toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

/** What held a score back, or decided it. */
export const nameRestraint = (restraint) => restraints.get(restraint) ?? spoken(restraint);

const strengths = [
  [3, 'very strongly'],
  [1.5, 'strongly'],
  [0.5, 'somewhat'],
  [0, 'slightly'],
];

/** How much a weight in log odds says, and for what. */
export function nameWeight(weight) {
  const [, strength] = strengths.find(([from]) => Math.abs(weight) >= from) ?? ['', 'slightly'];
  return `${strength} ${weight > 0 ? 'for' : 'against'}`;
}

/** A score as people say it; what is not quite certain is never called so. */
export const formatScore = (score) => `${Math.min(score < 1 ? 99 : 100, Math.round(score * 100))} %`;
