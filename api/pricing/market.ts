import { findListingsById } from '../../shared/pricing/listings-by-id.ts';
import { rateConfidence, describeConfidence } from '../../shared/pricing/judge.ts';
import { readMarket, type Market } from '../../shared/pricing/market.ts';
import { conversionTo } from '../../shared/rates/conversion.ts';
import { readPriceSelection } from '../../shared/pricing/selection.ts';
import type { Request, Result } from '../http/types.ts';
import { presentCard, viewOf } from '../listings/present.ts';
import { scopeOf } from '../listings/visibility.ts';
import type { Services } from '../services.ts';

type PriceRequest = Request<'recommendPrice'> | Request<'assessPrice'>;

const COMPARABLES = 5;

/** The market that a request asks about, and how it is answered; a `price` is placed in it. */
export async function readPrices(
  services: Services,
  request: PriceRequest,
  price?: number,
): Promise<{ market: Market; body: Result<'recommendPrice', 200> }> {
  const { pool, catalog, profile } = services;
  const { query, locale } = request;
  const view = viewOf(services, request);
  const { category, selection, warnings } = readPriceSelection(query, {
    catalog,
    listValidCategories: profile.unknownCategoryListsIds,
  });
  const statuses = scopeOf('all', undefined, profile).everyone;
  const showExpired = statuses.includes('expired');
  const rates = selection.currency === undefined ? undefined : await services.rates.read();
  const market = await readMarket(pool, selection, { now: view.now, rates, price, nearest: COMPARABLES, showExpired });
  const comparables = await findListingsById(pool, market.nearestIds, { statuses, locale });
  const {
    currency,
    sampleSize: sample_size,
    min,
    max,
    mean,
    median,
    percentiles,
    recommended,
    widened,
    conversion,
  } = market;
  const shown = rates && selection.currency !== undefined ? conversionTo(selection.currency, rates) : undefined;
  const body = {
    category: category.id,
    condition: query.condition ?? null,
    currency,
    sample_size,
    conversion: conversion && { sample_size: conversion.sampleSize, rate_date: conversion.rateDate },
    min,
    max,
    mean,
    median,
    percentiles,
    recommended,
    confidence: rateConfidence(market),
    widened,
    note: describeConfidence(market),
    comparables: comparables.map((row) => presentCard(row, { ...view, conversion: shown })),
    generated_at: view.now.toISOString(),
    ...(warnings.length > 0 && { warnings }),
  };
  return { market, body };
}

/** Comparables are in the locale of the reader. */
export const headersOf = ({ locale }: PriceRequest) => ({ 'Content-Language': locale, Vary: 'Accept-Language' });
