/** What a page says of value added tax: whether the sum holds it, at which rate, and whether it has been paid on the thing. */
export type TaxStatus = { included?: boolean; rate?: number; paid?: boolean };

const TAX = '(?:vat|sales tax|tax|mwst\\.?|mehrwertsteuer|ust\\.?|tva|iva|i\\.v\\.a\\.?|btw|moms)';
const RATE = '(?:\\d{1,2}(?:[.,]\\d)?\\s?%\\s?)?';
const GAP = '[ :.,-]{0,3}';
const IS = '(?:(?:is|ist|est|è|es|status:?|has been|wurde)\\s)?';
const NOT = '(?:not|un|non|no|nicht|pas|niet|ikke|ej)';
const PAID =
  '(?:paid|bezahlt|entrichtet|pay[ée]e?|acquitt[ée]e?|pagad[oa]|pagat[oa]|assolta|versata|betaald|betalt|betald)';
const bordered = (words: string) => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu');

const UNPAID = bordered(`${TAX}${GAP}${IS}${NOT}[ -]?${PAID}|${NOT}[ -]${TAX} ${PAID}|(?:tax|vat|duty) due`);
const IS_PAID = bordered(`${TAX}${GAP}${IS}${PAID}|${PAID} ${TAX}`);
const EXCLUDED = [
  bordered(
    `(?:ex\\.?|excl\\.?|exkl\\.?|excluding|exclusive(?: of)?|plus|zzgl\\.?|zuzüglich|ohne|hors|sans|senza|escl\\.?|esclus[ao]|sin|más|net of|before|without|\\+) ?${RATE}${TAX}`,
  ),
  bordered(
    `${TAX}${GAP}(?:not included|excluded|excl\\.?|extra|esclusa|non inclusa|no incluido|non comprise|nicht enthalten|zusätzlich)`,
  ),
  // As they stand behind a sum.
  /\d\s?(?:€|EUR|CHF)?\s?(?:HT|H\.T\.)(?!\p{L})/u,
  /税別|税抜|부가세\s?(?:별도|불포함)/u,
];
const INCLUDED = [
  bordered(
    `(?:incl\\.?|inkl\\.?|inc\\.?|including|inclusive(?: of)?|einschl\\.?|inclus[ao]?|compreso|con|mit|with) ?${RATE}${TAX}`,
  ),
  bordered(
    `${TAX}${GAP}(?:incl\\.?|included|inclusive|inbegriffen|enthalten|inklusive|ausweisbar|reclaimable|deductible|récupérable|incluse|comprise|inclusa|compresa|esposta|detraibile|incluido|incluida|deducible|inclusief)`,
  ),
  /(?<!\p{L})(?:TTC|T\.T\.C\.)(?!\p{L})/u,
  /税込|부가세\s?포함/u,
];
const PRINTED_RATE = new RegExp(`(?<![\\d.,])(\\d{1,2}(?:[.,]\\d)?)\\s?% ?(?:${TAX})(?!\\p{L})`, 'iu');
/** Most texts name no tax at all. */
const NAMED = [new RegExp(`(?<!\\p{L})(?:${TAX}|duty)(?!\\p{L})`, 'iu'), /HT|H\.T|TTC|T\.T\.C|税|부가세/u];
const MAX_TEXT = 2_000;

/**
 * The status of value added tax that a text states in the service's languages (`VAT paid`, `MwSt. ausweisbar`, `IVA inclusa`,
 * `ex VAT`, `HT`, `税込`): tax that is paid is in the price, tax that is not paid is not. Undefined when it states nothing.
 */
export function normalizeTaxStatus(printed: string): TaxStatus | undefined {
  const text = printed.slice(0, MAX_TEXT).normalize('NFC').replaceAll(/\s+/g, ' ');
  if (!NAMED.some((pattern) => pattern.test(text))) return undefined;
  const paid = UNPAID.test(text) ? false : IS_PAID.test(text) ? true : undefined;
  const isExcluded = EXCLUDED.some((pattern) => pattern.test(text));
  const isIncluded = !isExcluded && INCLUDED.some((pattern) => pattern.test(text));
  const included = isExcluded ? false : isIncluded ? true : paid;
  const rate = Number(PRINTED_RATE.exec(text)?.[1]?.replace(',', '.') ?? Number.NaN);
  if (included === undefined && paid === undefined) return undefined;
  return {
    ...(included !== undefined && { included }),
    ...(rate > 0 && { rate }),
    ...(paid !== undefined && { paid }),
  };
}
