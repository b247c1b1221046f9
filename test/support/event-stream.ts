import type { FeedEvent } from '../../shared/journal/feed.ts';

export type StreamedEvent = { id: string; event: string; data: FeedEvent };
export type OpenStream = {
  status: number;
  headers: Headers;
  /** All events so far. */
  events: StreamedEvent[];
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  close(): void;
};

/** Reads server-sent events (WHATWG HTML, 9.2) from now on, as a browser's EventSource does, without its coming back. */
export async function openEventStream(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${token}`, ...headers },
    signal: controller.signal,
  });
  const events: StreamedEvent[] = [];
  const ended = response.ok && response.body ? read(response.body, events) : Promise.resolve();
  return { status: response.status, headers: response.headers, events, ended, close: () => controller.abort() };
}

async function read(body: ReadableStream<Uint8Array>, events: StreamedEvent[]): Promise<void> {
  let rest = '';
  try {
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
        if (fields.data !== undefined)
          events.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) as FeedEvent });
      }
    }
  } catch (error) {
    // The client has closed it, or the server's process has gone.
    if (!(error instanceof Error)) throw error;
  }
}

/** The beginning of a body that may never end. */
export async function readBody(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) return response.text();
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}
