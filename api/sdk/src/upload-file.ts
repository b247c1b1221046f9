import { unwrap, type QuaysideClient } from './client.ts';
import type { components } from './contract.ts';

/** Uploads one image as multipart/form-data; answers the address to name in `images` of a listing. Throws the `ApiError` of a refusal. */
export function uploadFile(
  client: QuaysideClient,
  file: Blob,
  { name = 'image', alt }: { name?: string; alt?: string } = {},
): Promise<components['schemas']['UploadResponse']> {
  const form = new FormData();
  form.set('file', file, name);
  if (alt !== undefined) form.set('alt', alt);
  // The contract describes the form by its fields, which is not what is sent.
  const body = form as unknown as components['schemas']['UploadForm'];
  return unwrap(client.POST('/api/upload', { body }));
}
