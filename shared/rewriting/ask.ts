import { z } from 'zod';
import type { Ai } from '../adapters/ai.ts';
import { clip } from '../drafts/draft.ts';
import { detectLanguage } from '../kit/language.ts';
import { moderate } from '../moderation/moderate.ts';
import { findInventions, findLostFacts, holds } from './facts.ts';
import { keepsOwnWords, type Source } from './source.ts';

export type Seo = { meta_title: string; meta_description: string; keywords: string[] };
/** The texts of a listing in one locale; what is null stays as the seller has it. */
export type Rewritten = {
  title: string | null;
  description: string | null;
  longDescription: string | null;
  seo: Seo;
};

const MAX_LENGTH = {
  title: 120,
  description: 5_000,
  longDescription: 20_000,
  metaTitle: 70,
  metaDescription: 160,
} as const;
const MIN_LENGTH = { title: 5, description: 20 } as const;
const MAX_KEYWORDS = 10;
/** Other languages say the same in fewer characters, above all with characters of their own. */
const MIN_SHARE = 0.4;
const MIN_SHARE_CJK = 0.15;
const languageName = new Intl.DisplayNames('en', { type: 'language' });

const seo = {
  meta_title: z.string().min(1),
  meta_description: z.string().min(1),
  keywords: z.array(z.string()).max(30),
};
const textSchema = z.strictObject({
  title: z.string().min(MIN_LENGTH.title),
  description: z.string().min(MIN_LENGTH.description),
  long_description: z.string().nullable(),
  ...seo,
});
const seoSchema = z.strictObject(seo);

type Text = z.infer<typeof textSchema>;

/**
 * Has a provider write the texts of a listing anew in a locale. They hold every number, unit and name of the original and no
 * others, none is cut off, all are in that language; what does not is sent back once with the reasons. Throws AiError.
 */
export async function askForTexts(ai: Ai, source: Source, locale: string, signal: AbortSignal): Promise<Rewritten> {
  const language = languageName.of(locale) ?? locale;
  const common = { material: materialOf(source), deadline: 'aiRewrite' as const, signal };
  if (keepsOwnWords(source, locale)) {
    const answer = await ai.ask({
      ...common,
      name: 'listing_seo',
      instructions: seoInstructions(language),
      schema: seoSchema,
      findFaults: (made) => findSeoFaults(source, made),
    });
    return { title: null, description: null, longDescription: null, seo: toSeo(answer) };
  }
  const answer = await ai.ask({
    ...common,
    name: 'listing_texts',
    instructions: textInstructions(language, source.longDescription !== null),
    schema: textSchema,
    findFaults: async (made) => [...(await findFaults(source, locale, made)), ...findSeoFaults(source, made)],
  });
  return {
    title: clip(answer.title, MAX_LENGTH.title),
    description: clip(answer.description, MAX_LENGTH.description),
    longDescription:
      source.longDescription === null ? null : clip(answer.long_description ?? '', MAX_LENGTH.longDescription),
    seo: toSeo(answer),
  };
}

const seoRules = `meta_title has at most ${MAX_LENGTH.metaTitle} characters, meta_description at most ${MAX_LENGTH.metaDescription}; keywords are up to ${MAX_KEYWORDS} search words.`;

const seoInstructions = (language: string) =>
  `You write what search engines show of a listing on a marketplace, in ${language}, from its own text. ${seoRules}
State nothing that the listing does not say.`;

const textInstructions = (language: string, hasLongText: boolean) =>
  `You rewrite the listing of one item on a marketplace in ${language}: fluent, plain and complete, as somebody would who writes it
in that language. Keep every number and unit as it is, without converting any; keep names of makers, models and places as they
are written. Add nothing, leave nothing out, promise nothing that the original does not. The title has at most ${MAX_LENGTH.title}
characters, the description at most ${MAX_LENGTH.description}${hasLongText ? '' : '; long_description is null'}. ${seoRules}`;

const materialOf = ({ title, description, longDescription }: Source) =>
  JSON.stringify({ title, description, ...(longDescription !== null && { long_description: longDescription }) });

async function findFaults(source: Source, locale: string, made: Text): Promise<string[]> {
  const names = namesOf(source);
  const titleNames = names.filter((name) => holds(source.title, name) && !holds(made.title, name));
  const { verdict, reasons } = moderate({ title: made.title, description: made.description });
  const wasRefused = moderate({ title: source.title, description: source.description }).verdict === 'reject';
  const language = await detectLanguage(made.description);
  return [
    ...findLostFacts(source.title, `${made.title}\n${made.description}`, names),
    ...findLostFacts(source.description, made.description, names),
    ...findInventions(wholeOf(source), `${made.title}\n${made.description}\n${made.long_description ?? ''}`),
    ...titleNames.map((name) => `The title lacks the name "${name}".`),
    ...findCut('description', source.description, made.description, MAX_LENGTH.description, locale),
    ...findLongFaults(source, made, locale, names),
    ...([...made.title].length > MAX_LENGTH.title ? [`The title has more than ${MAX_LENGTH.title} characters.`] : []),
    ...(language !== undefined && language !== locale ? [`The description is not in ${languageName.of(locale)}.`] : []),
    ...(verdict === 'reject' && !wasRefused ? reasons.map(({ message }) => message) : []),
  ];
}

function findLongFaults(source: Source, made: Text, locale: string, names: readonly string[]): string[] {
  if (source.longDescription === null) return [];
  if (made.long_description === null) return ['long_description is missing.'];
  return [
    ...findLostFacts(source.longDescription, made.long_description, names).map((fault) => `long_description: ${fault}`),
    ...findCut('long_description', source.longDescription, made.long_description, MAX_LENGTH.longDescription, locale),
  ];
}

/** What speaks for a text that ends before its original does. */
function findCut(field: string, original: string, made: string, longest: number, locale: string): string[] {
  const [before, after] = [[...original.trim()], [...made.trim()]];
  if (after.length > longest) return [`${field} has more than ${longest} characters.`];
  const share = locale === 'ja' || locale === 'ko' ? MIN_SHARE_CJK : MIN_SHARE;
  if (after.length < before.length * share) return [`${field} is too short for its original; leave nothing out.`];
  const endsWell = /[\p{P}\p{S}]$/u;
  const isCut = endsWell.test(original.trim()) && !endsWell.test(made.trim());
  return isCut || /(?:…|\.\.\.)$/.test(made.trim()) !== /(?:…|\.\.\.)$/.test(original.trim())
    ? [`${field} ends before its original does.`]
    : [];
}

/** Too long is no fault here, it is cut; what the original does not say is one. */
function findSeoFaults(source: Source, made: z.infer<typeof seoSchema>): string[] {
  return findInventions(wholeOf(source), [made.meta_title, made.meta_description, ...made.keywords].join('\n'));
}

const wholeOf = ({ title, description, longDescription, brand, model }: Source) =>
  [title, description, longDescription, brand, model].join('\n');

const namesOf = ({ brand, model }: Source) =>
  [brand, model].filter((name) => name !== null && name.trim().length > 1) as string[];

function toSeo({ meta_title, meta_description, keywords }: z.infer<typeof seoSchema>): Seo {
  const words = keywords.map((word) => clip(word, 100)).filter(Boolean);
  return {
    meta_title: clip(meta_title, MAX_LENGTH.metaTitle),
    meta_description: clip(meta_description, MAX_LENGTH.metaDescription),
    keywords: [...new Set(words)].slice(0, MAX_KEYWORDS),
  };
}
