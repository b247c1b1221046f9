import type { Pool } from 'pg';
import type { Ai } from '../adapters/ai.ts';
import type { GuardedFetch } from '../adapters/fetch.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { composeWithAi } from './compose-ai.ts';
import { composeStub } from './compose-stub.ts';
import type { DraftMode, ListingDraft } from './draft.ts';
import { readDraftImages } from './draft-images.ts';
import { estimatePriceRange } from './price-range.ts';

type Dependencies = {
  ai: Ai | undefined;
  pool: Pool;
  catalog: Catalog;
  clock: Clock;
  storage: Storage;
  fetch: GuardedFetch;
  config: Pick<Config, 'staticUrl' | 'deadlines'>;
};

/** Drafts a listing from images, by the AI provider or, without one, by the stub. Throws ImageFault and AiError. */
export async function composeDraft(
  services: Dependencies,
  { images, locale }: { images: readonly string[]; locale: string },
  signal: AbortSignal,
): Promise<{ draft: ListingDraft; mode: DraftMode }> {
  const { ai, catalog, clock } = services;
  const draftImages = await readDraftImages(services, images, signal);
  const text = ai
    ? await composeWithAi(ai, catalog, { images: draftImages, locale, signal })
    : composeStub(draftImages, catalog);
  const estimatedPriceRange = await estimatePriceRange(services, text, clock.now());
  return { draft: { ...text, estimatedPriceRange }, mode: ai ? 'openai' : 'stub' };
}
