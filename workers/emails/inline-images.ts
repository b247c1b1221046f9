import { createHash } from 'node:crypto';
import type { MailAttachment } from '../../shared/adapters/mail.ts';
import type { WorkerServices } from '../services.ts';

/** Pixels of an image for each that it is shown in, for screens that have twice as many. */
const DENSITY = 2;

/**
 * The photos of a mail as JPEG files within it (RFC 2392): Outlook shows no WebP, and nobody is told when a mail is opened. A photo that
 * is not stored any more, or belongs to somebody else's site, keeps its address.
 */
export async function inlineImages(
  html: string,
  { storage, config }: Pick<WorkerServices, 'storage' | 'config'>,
): Promise<{ html: string; attachments: MailAttachment[] }> {
  const attachments: MailAttachment[] = [];
  let inlined = html;
  for (const [tag, url = '', width] of html.matchAll(/<img src="([^"]+)" alt="" width="(\d+)">/g)) {
    if (!url.startsWith(`${config.staticUrl}/images/`)) continue;
    const file = await storage.get(url.slice(config.staticUrl.length + 1));
    if (!file) continue;
    const cid = `${createHash('sha256').update(tag).digest('hex').slice(0, 32)}@images`;
    // Few mails have a photo: sharp is loaded for those.
    const { toJpeg } = await import('../../shared/adapters/images.ts');
    const content = await toJpeg(file.body, Number(width) * DENSITY);
    if (attachments.every((each) => each.cid !== cid))
      attachments.push({ cid, filename: `${attachments.length + 1}.jpg`, contentType: 'image/jpeg', content });
    inlined = inlined.replaceAll(tag, tag.replace(url, `cid:${cid}`));
  }
  return { html: inlined, attachments };
}
