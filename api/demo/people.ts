import { daysAgo, DAYS } from './past.ts';
import type { Demo, Kept } from './demo.ts';

/** Every account of the demo but the administrator's has this password, and an address of this domain, which nobody can own. */
export const DEMO_PASSWORD = 'quayside demo';
export const DEMO_DOMAIN = 'demo.example';

export type People = { sellers: Kept[]; buyers: Kept[]; admin: Kept };

/** Made-up trade names; the first is the one to sign in as. */
const sellers = {
  nautical: [
    'Lantern Quay Boats',
    'Tide & Timber',
    'The Copper Buoy',
    'Gull and Halyard',
    'Second Anchor',
    'Low Bridge Marine',
    'Saltbox Yachts',
    'Pier Nineteen',
    'Old Slipway',
    'Windward Barn',
    'Paper Boat Brokers',
    'Mooring Twelve',
  ],
  general: [
    'Lantern Yard',
    'Second Shelf',
    'The Copper Kettle',
    'Gear and Saddle',
    'Attic Twelve',
    'Low Bridge Motors',
    'Saltbox Living',
    'Platform Nineteen',
    'Old Tram Depot',
    'Windmill Barn',
    'Paper Lamp',
    'Garage Number Nine',
  ],
};
const buyers = ['Puffin', 'Marigold', 'Bowline', 'Thistle', 'Kestrel', 'Saffron', 'Driftwood', 'Juniper'];

/** Registered last: whoever finds this account finds a demo that is complete. */
export const GUEST_EMAIL = `guest@${DEMO_DOMAIN}`;
export const SELLER_EMAIL = `seller1@${DEMO_DOMAIN}`;

/** Signs up the sellers and the buyers over the first days; those who are there already stay. */
export async function signUpPeople(demo: Demo): Promise<People> {
  const names = sellers[demo.services.config.profile];
  const [selling, buying] = await Promise.all([
    Promise.all(
      names.map((name, n) => signUp(demo, `seller${n + 1}@${DEMO_DOMAIN}`, name, daysAgo(demo.now, DAYS, n + 6))),
    ),
    Promise.all(
      buyers.map((name, n) =>
        signUp(demo, `${name.toLowerCase()}@${DEMO_DOMAIN}`, name, daysAgo(demo.now, DAYS - 1 - n * 3, n + 9)),
      ),
    ),
  ]);
  const admin = await findAdmin(demo);
  if (!admin) throw new Error('there is no administrator');
  return { sellers: selling, buyers: buying, admin };
}

export const signUpGuest = (demo: Demo): Promise<Kept> => signUp(demo, GUEST_EMAIL, 'Guest of the demo', demo.now);

async function signUp(demo: Demo, email: string, name: string, when: Date): Promise<Kept> {
  const known = await findAccount(demo, email);
  if (known) return known;
  const { body } = await demo.perform(undefined, when, 'register', { body: { email, name, password: DEMO_PASSWORD } });
  return { id: body.user.id, name, role: 'user' };
}

export function findAccount({ services }: Pick<Demo, 'services'>, email: string): Promise<Kept | undefined> {
  return services.db
    .selectFrom('users')
    .select(['id', 'name', 'role'])
    .where('email', '=', email)
    .$narrowType<Pick<Kept, 'role'>>()
    .executeTakeFirst();
}

/** Who runs the marketplace, and owns what is scraped. */
export function findAdmin({ services }: Pick<Demo, 'services'>): Promise<Kept | undefined> {
  return services.db
    .selectFrom('users')
    .select(['id', 'name', 'role'])
    .where('role', '=', 'admin')
    .orderBy('id')
    .$narrowType<Pick<Kept, 'role'>>()
    .executeTakeFirst();
}
