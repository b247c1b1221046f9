import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { purgeRules } from '../../workers/purge-old-rows.ts';

/**
 * What keeps each table from growing without end, but for those that purge-old-rows deletes from: a row goes with the thing it is
 * of, there is one for each of a bounded set, what fills it is taken out by another job, or it is a record that has to stay.
 */
const bounds = {
  'goes with its owner': [
    ...['account_exports', 'account_leaving_traces', 'api_keys', 'appeals', 'bookings', 'conversations', 'crawl_pages'],
    ...[
      'crawl_requests',
      'dedup_groups',
      'dedup_keys',
      'dedup_members',
      'dedup_pairs',
      'dedup_prints',
      'dedup_rejections',
    ],
    ...['favorites', 'feed_items', 'feed_states', 'flags', 'image_cores', 'listing_images', 'listing_prices'],
    ...['listing_rewrites', 'listing_search', 'listing_sources', 'listing_views', 'listings', 'marketplace_moves'],
    ...['messages', 'notices', 'passkeys', 'recovery_codes', 'reimport_changes', 'rentals', 'reviews', 'run_findings'],
    ...['run_held', 'saved_search_filters', 'saved_searches', 'scam_checks', 'site_learning_pages', 'site_learnings'],
    ...['suspensions', 'totp_secrets', 'traders', 'uploads', 'user_blocks', 'users', 'webhooks'],
  ],
  'one for each of a bounded set': [
    ...['categories', 'crawl_hosts', 'dedup_words', 'exchange_rate_feed', 'exchange_rates', 'journal_cursors'],
    ...['kept_figures', 'listing_counts', 'listing_facet_counts', 'listing_price_brands', 'listing_price_currencies'],
    ...['paused_queues', 'preparations', 'scam_hold_counts', 'scrapers', 'search_words', 'suggestion_heads'],
    ...['suggestion_titles'],
  ],
  'emptied by a job': [
    ...[
      'images',
      'listing_count_deltas',
      'listing_facet_deltas',
      'metric_samples',
      'picture_leftovers',
      'picture_uses',
    ],
    ...['search_backlog', 'search_refusals'],
  ],
  // Of decisions and money there is one for each act of a person; a deleted address stays so that no scraper brings it back.
  'a record that stays': [
    ...[
      'audit_entries',
      'deleted_sources',
      'marketplace_versions',
      'moderation_decisions',
      'payment_intents',
      'payments',
    ],
  ],
};

test('No table grows without end: each is purged by age, or something else bounds it', () => {
  const schema = readFileSync(new URL('../../db/schema.sql', import.meta.url), 'utf8');
  const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name]) => name);
  const purged = new Set<string>(purgeRules.map(({ table }) => table));
  const bounded = Object.values(bounds).flat();
  expect(bounded.filter((table) => purged.has(table))).toEqual([]);
  expect(new Set([...purged, ...bounded])).toEqual(new Set(tables));
});
