import heicDecode from 'heic-decode';
import { parentPort } from 'node:worker_threads';
import { assertPixels, ImageError, type ImageRefusal } from './images-error.ts';

export type HeicRequest = { input: Uint8Array; page: number };
export type HeicAnswer =
  | { width: number; height: number; rgba: Uint8ClampedArray<ArrayBuffer> }
  | { refusal: ImageRefusal; message: string };

parentPort?.on('message', (request: HeicRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply, 'rgba' in reply ? [reply.rgba.buffer] : []));
});

async function answer({ input, page }: HeicRequest): Promise<HeicAnswer> {
  try {
    const images = await heicDecode.all({ buffer: input });
    try {
      const image = images[page] ?? images[0];
      if (!image) return { refusal: 'corrupt', message: 'no image inside' };
      assertPixels(image.width, image.height);
      const { width, height, data } = await image.decode();
      return { width, height, rgba: data };
    } finally {
      images.dispose();
    }
  } catch (error) {
    return { refusal: error instanceof ImageError ? error.reason : 'corrupt', message: String(error) };
  }
}
