import { sql, type Transaction } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import type { Profile } from '../profiles/profile.ts';
import { buildCatalog } from './tree.ts';

/** Writes the profile's category tree to the database; categories of another tree stay for their listings, but inactive. */
export async function seedCategories(tx: Transaction<DB>, profile: Profile): Promise<void> {
  const rows = buildCatalog(profile)
    .flat()
    .map(({ id, slug, name, names, parentId, path, position }) => ({
      id,
      slug,
      name,
      names,
      parent_id: parentId,
      path,
      position,
    }));
  await sql`update categories set active = false, slug = id`.execute(tx);
  await sql`
    insert into categories (id, slug, name, names, parent_id, path, position, active)
    select id, slug, name, names, parent_id, array(select jsonb_array_elements_text(path)), position, true
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as c (id text, slug text, name text, names jsonb, parent_id text, path jsonb, position int)
    order by position
    on conflict (id) do update set (slug, name, names, parent_id, path, position, active)
      = (excluded.slug, excluded.name, excluded.names, excluded.parent_id, excluded.path, excluded.position, true)`.execute(
    tx,
  );
}
