import { OUT_PHRASES } from './stock-phrases.ts';

const setOf = (words: string) => new Set(words.split(' '));

/** What stands within a few words before and says that it is not so, not yet, or only in some case. */
const DENIALS = setOf(
  'not never no nicht nie kein keine noch pas jamais aucun non nessun nunca ningún aún todavía ' +
    'niet nooit nog ikke inte ej nie není не нет ei if when until once unless falls wenn solange bis quand lorsque ' +
    'cuando hasta quando fino als wanneer almost nearly fast beinahe presque casi quasi bijna soon bald bientôt pronto presto',
);
/** Denials that stand behind. */
const DENIED_AFTER = setOf('아님 아닙니다 아니에요 않음 no not nein nicht non pas');

/** What stands right before `sold` where other things are meant, or a thing that is for sale. */
const OTHERS_BEFORE = setOf(
  'previously recently formerly last best most also being be are units items pieces boats usually often only always ' +
    'zuletzt zuvor kürzlich meist wird werden sind mal récemment sera seront être sont fois recientemente ser serán son ' +
    'veces recentemente viene vengono essere sono volte recent wordt keer x times',
);
/** What follows `sold` where it tells how a thing is sold, by whom, or what others fetched. */
const HOW_SOLD = setOf(
  'separately individually by as with without in per through via from only exclusively new here each elsewhere online ' +
    'today this last within worldwide together loose direct directly under and or boats yachts items listings cars homes ' +
    'properties vehicles products lots articles price prices von durch im als nur mit ohne pro wie einzeln separat und wird ' +
    'werden par avec sans séparément à en seul seule tel telle et dans sur uniquement por con sin como y solo sólo ' +
    'separado individualmente da senza separatamente come e ed singolarmente door zonder los apart te',
);
const YES = setOf('yes ja oui sí si sì true');
const SALE = /^(?:sold|verkauft|vend|verkocht)/iu;
const CLAUSE_END = /[.!?,;:：|/()[\]{}*–—•\n"]|\s-\s/u;
const DENIAL_REACH = 4;

/**
 * Whether a short text says that a thing is sold or out of stock: a phrase for it that is not negated (`not sold`, `noch
 * nicht verkauft`), nor about how it is sold (`sold separately`), how often (`12 sold`) or what other things did.
 */
export function saysOutOfStock(text: string): boolean {
  return OUT_PHRASES.some((phrase) =>
    text
      .matchAll(phrase)
      .some(({ 0: match, index }) => isMeant(match, text.slice(0, index), text.slice(index + match.length))),
  );
}

function isMeant(match: string, before: string, after: string): boolean {
  if (/^\s*\?/.test(after)) return false;
  const earlier = wordsIn(before.split(CLAUSE_END).at(-1) ?? '');
  const later = wordsIn(after.split(CLAUSE_END)[0] ?? '');
  const last = earlier.at(-1) ?? '';
  if (earlier.slice(-DENIAL_REACH).some(isDenial) || DENIED_AFTER.has(later[0] ?? '')) return false;
  if (/^\p{N}/u.test(last) || OTHERS_BEFORE.has(last)) return false;
  // `Sold: no`, `Verkauft: 12`
  const labelled = /^\s*[:：]\s*([\p{L}\p{N}]{1,20})/u.exec(after)?.[1]?.toLowerCase();
  if (labelled !== undefined && !YES.has(labelled)) return false;
  return !SALE.test(match) || !HOW_SOLD.has(later[0] ?? '');
}

const isDenial = (word: string) => DENIALS.has(word) || /n['’]t$/.test(word);

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}'’]+/gu) ?? [];
