import { senderOf, type Config } from '../kit/config.ts';
import type { Profile } from './profile.ts';

/** The configuration with the brand of the marketplace where the environment sets none; mails are sent in its name. */
export function withBrand<C extends Pick<Config, 'brand' | 'givenBrand' | 'mail'>>(config: C, profile: Profile): C {
  const { givenBrand: given, brand: known, mail } = config;
  const name = given.name ?? profile.brand.name ?? known.name;
  const brand = {
    name,
    color: given.color ?? profile.brand.color?.toLowerCase() ?? known.color,
    logoUrl: given.logoUrl ?? profile.brand.logoUrl,
    imprintUrl: given.imprintUrl ?? profile.brand.imprintUrl,
  };
  return { ...config, brand, mail: mail.from === senderOf(known.name) ? { ...mail, from: senderOf(name) } : mail };
}
