/** How good each document is for a query; those that nobody judged are 0. */
export type Judged = { query: string; grades: ReadonlyMap<string, number> };

/** A document as the database has it: how often its stems come in the title and in all other text. */
export type Stemmed = { id: string; title: Record<string, number>; text: Record<string, number> };

/** NDCG of the first ten, with the gain 2^grade - 1, against the best order of all that was judged. */
export function ndcg(found: readonly string[], grades: ReadonlyMap<string, number>): number {
  const gain = (grade: number, place: number) => (2 ** grade - 1) / Math.log2(place + 2);
  const sum = (all: number[]) => all.slice(0, 10).reduce((total, grade, place) => total + gain(grade, place), 0);
  const ideal = sum([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : sum(found.map((id) => grades.get(id) ?? 0)) / ideal;
}

/** The first ten by plain BM25, the title counted twice: any of the words, nothing corrected. */
export function rankByBm25(documents: readonly Stemmed[]): (stems: readonly string[]) => string[] {
  const [k1, b] = [1.2, 0.75];
  const uses = new Map<string, number[]>();
  const lengthOf = (field: Record<string, number>) => Object.values(field).reduce((sum, n) => sum + n, 0);
  const lengths = documents.map((each) => ({ title: lengthOf(each.title), text: lengthOf(each.text) }));
  const mean = (field: 'title' | 'text') => lengths.reduce((sum, each) => sum + each[field], 0) / documents.length || 1;
  const usual = { title: mean('title'), text: mean('text') };
  for (const [index, { title, text }] of documents.entries())
    for (const stem of new Set([...Object.keys(title), ...Object.keys(text)]))
      uses.set(stem, [...(uses.get(stem) ?? []), index]);
  return (stems) => {
    const scores = new Map<number, number>();
    for (const stem of new Set(stems)) {
      const having = uses.get(stem) ?? [];
      const rarity = Math.log(1 + (documents.length - having.length + 0.5) / (having.length + 0.5));
      for (const index of having) {
        const share = (field: 'title' | 'text') =>
          (documents[index]![field][stem] ?? 0) / (1 - b + (b * lengths[index]![field]) / usual[field]);
        const tf = 2 * share('title') + share('text');
        scores.set(index, (scores.get(index) ?? 0) + (rarity * tf * (k1 + 1)) / (tf + k1));
      }
    }
    const best = [...scores].sort(([i, a], [j, c]) => c - a || j - i);
    return best.slice(0, 10).map(([index]) => documents[index]!.id);
  };
}

/** A number of 32 bits that a text always has. */
export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * The text with one letter of its longest word wrong, missing, doubled or swapped with the next; undefined when no word has
 * `least` letters.
 */
export function mistype(text: string, least = 5): string | undefined {
  const word = text.match(/[a-z]+/gi)?.toSorted((a, b) => b.length - a.length)[0];
  if (word === undefined || word.length < least) return undefined;
  const hash = hashOf(text);
  const at = 1 + (hash % (word.length - 2));
  const [before, letter, after] = [word.slice(0, at), word[at]!, word.slice(at + 1)];
  const other = String.fromCodePoint(97 + ((letter.toLowerCase().codePointAt(0)! - 97 + 1 + (hash % 24)) % 26));
  const wrong = [
    before + other + after,
    before + after,
    before + letter + letter + after,
    before + after[0] + letter + after.slice(1),
  ];
  const mistyped = wrong[(hash >>> 8) % 4]!;
  return mistyped === word ? undefined : text.replace(word, mistyped);
}
