import { randomBytes } from 'node:crypto';
import sharp from 'sharp';

type File = { bytes: Buffer; name?: string; type?: string };

/** A small JPEG that nobody has uploaded before. */
export async function newPhoto(width = 64, height = 48): Promise<Buffer> {
  const [r = 0, g = 0, b = 0] = randomBytes(3);
  const jpeg = await sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
    .jpeg()
    .toBuffer();
  // Bytes after the end of the image are not part of it, and make the file one of its own.
  return Buffer.concat([jpeg, randomBytes(8)]);
}

/** A JPEG of exactly that many bytes. */
export async function photoOfSize(bytes: number): Promise<Buffer> {
  const photo = await newPhoto();
  return Buffer.concat([photo, Buffer.alloc(bytes - photo.length, 0x20)]);
}

/** A form with these files and texts. */
export function formOf(files: [field: string, file: File | Buffer][], texts: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(texts)) form.append(name, value);
  for (const [field, file] of files) {
    const { bytes, name = 'photo.jpg', type = 'image/jpeg' } = Buffer.isBuffer(file) ? { bytes: file } : file;
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  }
  return form;
}
