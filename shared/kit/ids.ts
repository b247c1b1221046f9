import { monotonicFactory } from 'ulid';

const prefixes = {
  listing: 'lst',
  user: 'usr',
  api_key: 'apk',
  session: 'ses',
  passkey: 'psk',
  saved_search: 'svs',
  message: 'msg',
  conversation: 'cnv',
  rental: 'rent',
  review: 'rev',
  webhook: 'whk',
  webhook_delivery: 'whd',
  flag: 'flg',
  scraper: 'scr',
  run: 'run',
  dedup_group: 'ddg',
  booking: 'bkg',
  payment: 'pay',
  audit_entry: 'aud',
  suspension: 'sus',
  decision: 'dec',
  notice: 'ntc',
  appeal: 'apl',
  export: 'exp',
  oauth_client: 'oac',
  oauth_grant: 'oag',
} as const;

export type Resource = keyof typeof prefixes;

const ulid = monotonicFactory();

/** A new `<prefix>_<ULID>`: unique, and sorted by the time it was made. */
export function newId(resource: Resource): string {
  return `${prefixes[resource]}_${ulid()}`;
}

const shape = /^[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}$/;

/** True when the text has the form of an id of that resource (it may not exist). */
export function isId(resource: Resource, text: string): boolean {
  return text.startsWith(`${prefixes[resource]}_`) && shape.test(text);
}
