import { createHash } from 'node:crypto';
import { localeWords, plainWord } from '../query/stop-words.ts';
import type { TypesenseClient } from './client.ts';

type Synonym = { id: string; synonyms: string[]; root?: string };

/** Synonyms and stop words of all languages as Typesense takes them, under names that change with what they hold. */
export const WORD_SETS = buildWordSets();

function buildWordSets() {
  const phrase = (text: string) => text.replaceAll('-', ' ');
  const synonyms = localeWords.flatMap(({ same, oneWay }, language): Synonym[] => [
    ...same.map((all, index) => ({ id: `${language}-same-${index}`, synonyms: all.map(phrase) })),
    ...oneWay.map(([root, ...others], index) => ({
      id: `${language}-one-way-${index}`,
      root: phrase(root),
      synonyms: others.map(phrase),
    })),
  ]);
  const stopWords = [...new Set(localeWords.flatMap(({ stop }) => stop).flatMap((word) => [word, plainWord(word)]))];
  const digest = createHash('sha256')
    .update(JSON.stringify([synonyms, stopWords]))
    .digest('hex')
    .slice(0, 8);
  return { digest, synonyms, stopWords, name: `quayside_${digest}` };
}

/** Writes the sets that searches name; what is there already stays as it is. */
export async function writeWordSets(client: TypesenseClient): Promise<void> {
  const { name, synonyms, stopWords } = WORD_SETS;
  await client.ask((typesense) => typesense.synonymSets(name).upsert({ items: synonyms }));
  await client.ask((typesense) => typesense.stopwords().upsert(name, { stopwords: stopWords }));
}
