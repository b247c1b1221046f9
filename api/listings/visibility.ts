import type { Profile } from '../../shared/profiles/profile.ts';
import type { StatusScope } from '../../shared/search/search.ts';
import { isAdministrator, isModerator, type Caller } from '../http/authenticate.ts';

type Visibility = Pick<Profile, 'ownerOnlyStatuses'>;

const everyoneSees = ['active', 'paused', 'sold'];
const restricted = ['expired', 'flagged'];

/**
 * Which listings a search in this status may find. Drafts are their owner's; expired and flagged listings too where the
 * profile says so; an administrator finds everything but what is deleted.
 */
export function scopeOf(status: string, caller: Caller | undefined, profile: Visibility): StatusScope {
  const open = openStatuses(profile);
  const all = [...everyoneSees, ...restricted, 'draft'];
  const asked = status === 'all' ? all : [status];
  if (isAdministrator(caller)) return { everyone: asked };
  const everyone = asked.filter((each) => open.includes(each));
  const others = asked.filter((each) => !open.includes(each));
  return caller && others.length > 0 ? { everyone, own: { sellerId: caller.userId, statuses: others } } : { everyone };
}

/** Whether the caller may read this listing; to everybody else it does not exist. A deleted or suspended one exists for moderators only. */
export function mayRead(
  listing: { status: string; seller_id: string },
  caller: Caller | undefined,
  profile: Visibility,
): boolean {
  if (isModerator(caller)) return true;
  if (listing.status === 'deleted' || listing.status === 'suspended') return false;
  return openStatuses(profile).includes(listing.status) || listing.seller_id === caller?.userId;
}

/** Whether the caller may know what moderation thinks of this listing: its owner may, and moderators. */
export function maySeeModeration({ seller_id }: { seller_id: string }, caller: Caller | undefined): boolean {
  return seller_id === caller?.userId || isModerator(caller);
}

const openStatuses = ({ ownerOnlyStatuses }: Visibility) => [
  ...everyoneSees,
  ...restricted.filter((status) => !ownerOnlyStatuses.includes(status)),
];
