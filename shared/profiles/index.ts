import { general } from './general.ts';
import { nautical } from './nautical.ts';
import type { Profile } from './profile.ts';

const profiles = { general, nautical };

/** The profile that MARKETPLACE_PROFILE names. */
export function profileOf(name: Profile['name']): Profile {
  return profiles[name];
}
