/** What becomes of a table that refers to people in the archive of a person, and when the person leaves. */
type PersonalTable = {
  /**
   * The section of the archive that holds its rows, with the condition that finds those of the person `:user`, on the table as
   * `t`, and the columns that are left out; or the reason why it holds none.
   */
  archive: { section: string; where: string; omit?: readonly string[] } | { reason: string };
  /** Once the person has left, no row refers to them; or the reason why rows still do. */
  leaving: 'deleted' | { stays: string };
};

const own = (section: string, column = 'user_id', omit: readonly string[] = []) => ({
  section,
  where: `t.${column} = :user`,
  omit,
});
const ofListings = (section: string, omit: readonly string[] = []) => ({
  section,
  where: 't.listing_id in (select id from listings where seller_id = :user)',
  omit,
});
const actor = { stays: 'An id says who decided something about the marketplace; the person is anonymous.' };

/**
 * Every table with a column that refers to a user, and what hangs on the things that a user owns. A table that is missing here
 * fails test/shared/leaving/personal-tables.test.ts, which says what to do.
 */
export const personalTables: Readonly<Record<string, PersonalTable>> = {
  users: {
    archive: own('profile', 'id', ['password_hash', 'applied_password_hash', 'session_epoch', 'left_at']),
    leaving: { stays: 'Anonymised: records of others refer to its id.' },
  },
  account_exports: { archive: own('exports', 'user_id', ['run_id']), leaving: 'deleted' },
  account_leavings: {
    archive: { reason: 'There is a row only once the account has left.' },
    leaving: {
      stays: 'What is still to do for the account; for two weeks, and without the address once the last mail has gone.',
    },
  },
  account_leaving_traces: {
    archive: { reason: 'There are rows only once the account has left.' },
    leaving: { stays: 'What tells the data that are to be erased, until the last sweep is done.' },
  },
  account_tokens: { archive: own('mailed_links', 'user_id', ['token_hash', 'email']), leaving: 'deleted' },
  ai_drafts: { archive: own('drafts'), leaving: 'deleted' },
  api_keys: { archive: own('api_keys', 'user_id', ['key_hash']), leaving: 'deleted' },
  appeals: { archive: own('appeals', 'user_id', ['decided_by']), leaving: 'deleted' },
  audit_entries: {
    archive: { reason: 'Decisions of administrators and moderators.' },
    leaving: { stays: 'An id says who did what to what; what was sent about the person is erased.' },
  },
  bookings: {
    archive: {
      section: 'bookings',
      where: 't.renter_id = :user or t.rental_id in (select id from rentals where owner_id = :user)',
    },
    leaving: { stays: 'The owner of the rental keeps times and prices; what was written is erased.' },
  },
  contact_requests: { archive: own('contact_requests', 'seller_id'), leaving: 'deleted' },
  conversations: {
    archive: { section: 'conversations', where: 't.buyer_id = :user or t.seller_id = :user', omit: ['last_message'] },
    leaving: { stays: 'The other party keeps the conversation, with a deleted user.' },
  },
  dedup_groups: { archive: { reason: 'Decisions of administrators about listings.' }, leaving: actor },
  dedup_rejections: { archive: { reason: 'Decisions of administrators about listings.' }, leaving: actor },
  deleted_sources: { archive: own('deleted_sources', 'owner'), leaving: 'deleted' },
  events: {
    archive: own('events', 'owner_id', ['xid']),
    leaving: {
      stays: 'The last events of the listings, which tell those who follow that they are gone, and nothing else.',
    },
  },
  marketplace_versions: { archive: { reason: 'Decisions of administrators about the marketplace.' }, leaving: actor },
  exchange_rates: { archive: { reason: 'Decisions of administrators about the marketplace.' }, leaving: actor },
  favorites: { archive: own('favorites'), leaving: 'deleted' },
  flags: { archive: own('reports', 'reporter_id'), leaving: 'deleted' },
  idempotency_keys: {
    archive: { reason: 'Answers to requests of the last day, sealed: what they tell is in the other sections.' },
    leaving: 'deleted',
  },
  listings: {
    archive: own('listings', 'seller_id', ['content_hash']),
    leaving: { stays: 'A seller may have named the account as the buyer of a listing.' },
  },
  listing_images: { archive: ofListings('listing_images'), leaving: 'deleted' },
  listing_rewrites: { archive: ofListings('listing_texts', ['source_hash', 'tried_hash']), leaving: 'deleted' },
  listing_sources: { archive: ofListings('listing_sources', ['content_hash']), leaving: 'deleted' },
  listing_views: { archive: ofListings('listing_views'), leaving: 'deleted' },
  login_networks: { archive: own('sign_ins', 'user_id', ['network_hash']), leaving: 'deleted' },
  messages: {
    archive: {
      section: 'messages',
      where: 't.conversation_id in (select id from conversations where buyer_id = :user or seller_id = :user)',
    },
    leaving: { stays: 'The other party keeps what was said, with a deleted user.' },
  },
  newsletter_subscribers: {
    archive: { section: 'newsletter', where: 't.email = (select email from users where id = :user)' },
    leaving: 'deleted',
  },
  moderation_decisions: {
    archive: { reason: 'Decisions of moderators; what they tell the person is in notices.' },
    leaving: actor,
  },
  notices: { archive: own('notices', 'user_id', ['decided_by']), leaving: 'deleted' },
  oauth_codes: {
    archive: { reason: 'Five minutes of a connection, which is in connected_applications.' },
    leaving: 'deleted',
  },
  oauth_grants: { archive: own('connected_applications'), leaving: 'deleted' },
  passkeys: { archive: own('passkeys', 'user_id', ['public_key', 'counter']), leaving: 'deleted' },
  paused_queues: { archive: { reason: 'Decisions of administrators about the marketplace.' }, leaving: actor },
  payments: {
    archive: own('payments'),
    leaving: { stays: 'Law asks for records of payments; the title of what was promoted is erased.' },
  },
  quota_uses: { archive: { reason: 'Counters of the last two days.' }, leaving: 'deleted' },
  recovery_codes: { archive: { reason: 'Hashes of secrets.' }, leaving: 'deleted' },
  rentals: {
    archive: own('rentals', 'owner_id'),
    leaving: { stays: 'Those who have booked keep the booking; the row holds no text any more.' },
  },
  reviews: {
    archive: { section: 'reviews', where: 't.reviewer_id = :user or t.seller_id = :user' },
    leaving: {
      stays: 'Who was reviewed keeps the review by a deleted user, and who wrote one keeps it; replies are erased.',
    },
  },
  run_findings: { archive: { reason: 'Decisions of administrators about scrapers.' }, leaving: actor },
  runs: {
    archive: own('runs', 'started_by', ['cursor', 'params', 'job_id']),
    leaving: actor,
  },
  saved_search_filters: { archive: { reason: 'Derived from saved_searches.' }, leaving: 'deleted' },
  saved_search_matches: {
    archive: {
      section: 'saved_search_matches',
      where: 't.saved_search_id in (select id from saved_searches where user_id = :user)',
    },
    leaving: 'deleted',
  },
  saved_searches: { archive: own('saved_searches'), leaving: 'deleted' },
  scrapers: { archive: own('scrapers', 'owner_id', ['proxy_urls']), leaving: 'deleted' },
  sent_emails: { archive: own('sent_emails', 'subject_id'), leaving: 'deleted' },
  sessions: { archive: own('sessions'), leaving: 'deleted' },
  suspensions: { archive: own('suspensions', 'user_id', ['suspended_by', 'ended_by']), leaving: 'deleted' },
  totp_secrets: { archive: own('two_factor', 'user_id', ['nonce', 'sealed_secret', 'last_step']), leaving: 'deleted' },
  tracked_events: { archive: own('visits'), leaving: 'deleted' },
  traders: { archive: own('trader'), leaving: 'deleted' },
  uploads: { archive: own('uploads'), leaving: 'deleted' },
  user_blocks: { archive: own('blocks', 'blocker_id'), leaving: 'deleted' },
  webhook_deliveries: {
    archive: {
      section: 'webhook_deliveries',
      where: 't.webhook_id in (select id from webhooks where user_id = :user)',
    },
    leaving: 'deleted',
  },
  webhooks: { archive: own('webhooks', 'user_id', ['secret', 'previous_secret']), leaving: 'deleted' },
};
