import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { unwrap } from '../../client.ts';
import type { components } from '../../contract.ts';
import { uploadFile } from '../../upload-file.ts';
import type { Command, CommandContext } from '../command.ts';
import { readListingFolder } from '../listing-folder.ts';
import { formatPrice } from '../output.ts';

type Listing = components['schemas']['Listing'];

/** Makes a draft of a folder, or takes one that is there, and publishes it when the person agrees. */
export const publishCommand: Command = {
  name: 'publish',
  summary: 'make a listing of a folder with images and a text, or publish a draft',
  positionals: 'FOLDER|ID',
  arity: [1, 1],
  flags: { yes: { type: 'boolean', short: 'y', about: 'publish without asking' } },
  async run(context, values, [target = '']) {
    const { client, isJson, print, printJson, note } = context;
    const draft = /^lst_[0-9A-Z]{26}$/.test(target)
      ? await unwrap(client.GET('/api/listings/{id}', { params: { path: { id: target } } }))
      : await createDraft(context, target);
    const isAgreed = values['yes'] === true || (await isPublicationAgreed(context, draft));
    const listing = isAgreed
      ? await unwrap(client.POST('/api/listings/{id}/publish', { params: { path: { id: draft.id } } }))
      : draft;
    if (isJson) return printJson(listing);
    if (!isAgreed) note(`It stays a draft; quayside publish ${draft.id} publishes it.`);
    print(`${listing.id}\t${listing.status}\t${listing.title}`);
  },
};

async function createDraft({ client, note }: CommandContext, folder: string): Promise<Listing> {
  const { listing, images } = await readListingFolder(folder);
  const uploaded: { url: string; alt: string }[] = [];
  for (const [position, file] of images.entries()) {
    note(`Uploading ${basename(file)} (${position + 1} of ${images.length})`);
    uploaded.push(await uploadFile(client, new Blob([await readFile(file)]), { name: basename(file) }));
  }
  return unwrap(client.POST('/api/listings', { body: { ...listing, images: uploaded } }));
}

async function isPublicationAgreed({ ask }: CommandContext, { title, price, images }: Listing): Promise<boolean> {
  const answer = await ask(`Publish '${title}' for ${formatPrice(price)} with ${images.length} images? [y/N] `);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
