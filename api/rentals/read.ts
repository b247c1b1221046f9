import { dayOf } from '../../shared/kit/clock.ts';
import { readBooked, readRental, type RentalRow } from '../../shared/rentals/rental.ts';
import type { Links } from '../http/links.ts';
import type { Request } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { MARKDOWN } from '../listings/markdown.ts';
import type { Services } from '../services.ts';
import { renderRental } from './markdown.ts';
import { presentRental, type Rental } from './present.ts';

/** One rental by id or slug, as JSON or, for a reader who prefers it, as Markdown. */
export const getRental: Handler<'getRental'> = async (services, request) => {
  const { rental, ...answer } = await read(services, request);
  if (!request.wantsMarkdown) return { status: 200, body: rental, ...answer };
  return { status: 200, body: { text: renderRental(rental), type: MARKDOWN }, ...answer };
};

/** The same rental as Markdown. */
export const getRentalMarkdown: Handler<'getRentalMarkdown'> = async (services, request) => {
  const { rental, ...answer } = await read(services, request);
  return { status: 200, body: { text: renderRental(rental), type: MARKDOWN }, ...answer };
};

/** A rental as its readers see it now, with the name of its owner and the times that are booked and not over. */
export async function showRental(services: Services, row: RentalRow, links: Links): Promise<Rental> {
  const { db, clock } = services;
  const unavailable = await readBooked(db, row.id, { from: dayOf(clock.now()) });
  const owner = db.selectFrom('users').select('name').where('id', '=', row.owner_id);
  const { name } = await owner.executeTakeFirstOrThrow();
  return presentRental(row, { owner: name, unavailable, links });
}

async function read(services: Services, { params, links }: Request<'getRental'> | Request<'getRentalMarkdown'>) {
  const row = await readRental(services.db, params.id);
  return { rental: await showRental(services, row, links), headers: { Vary: 'Accept' }, cacheSubject: row.id };
}
