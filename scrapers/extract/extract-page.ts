import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { parsePage } from './page.ts';
import type { Page } from './page.ts';
import { readContradictions } from './contradictions.ts';
import { isDetail, readVisibleEvidence } from './readable.ts';
import type { ReaderWeights } from './readable.ts';
import { reconcile } from './reconcile.ts';
import { readState } from './state.ts';
import { selectRecord } from './selectors.ts';
import type { Selectors } from './selectors.ts';
import { readStructured } from './structured.ts';

/** How a scraper wants its pages read; `selectors` go before everything else the page says. */
export type ExtractOptions = {
  mode: 'structured' | 'selectors';
  selectors?: Selectors;
  /** In place of what was learnt from all pages. */
  weights?: ReaderWeights;
};

/**
 * The records of one page: one for a detail page, several for a list page that names its entries, none for other pages.
 * With selectors there is a record when they find a title or a price; structured and visible evidence fills its gaps.
 */
export function extractPage(html: string, url: string, options: ExtractOptions): RawRecord[] {
  return pageRecords(parsePage(html, url), options);
}

/** `extractPage` of a page that is already parsed. */
export function pageRecords(page: Page, options: ExtractOptions): RawRecord[] {
  const structured = readStructured(page);
  const { detail, general, list, isList } = structured;

  if (options.mode === 'selectors') {
    const selected = selectRecord(page, options.selectors ?? {});
    if (selected.title === undefined && selected.price === undefined) return [];
    const { facts } = readVisibleEvidence(page, structured.tags, selected.url, options.weights);
    const others = [...detail, ...general, { source: 'page', facts }];
    return [reconcile(selected.url, [{ source: 'selector', facts: selected }, ...others])];
  }
  if (isList) return list;
  const shown = readVisibleEvidence(page, structured.tags, structured.url, options.weights);
  const state = detail.length === 0 ? readState(page, structured.titles) : undefined;
  if (detail.length === 0 && !state && !isDetail(shown, options.weights?.detail)) return [];
  const told = [...detail, ...general];
  const instead = readContradictions(reconcile(structured.url, told), shown);
  const record = reconcile(structured.url, [
    ...instead,
    ...told,
    { source: 'page', facts: shown.facts },
    ...(state ? [{ source: 'state', facts: state }] : []),
  ]);
  const guessed = record.sku === undefined ? shown.readSku() : undefined;
  return [guessed ? { ...record, sku: guessed.code, evidence: { ...record.evidence, sku: 'guessed' } } : record];
}
