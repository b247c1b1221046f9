/** One event of a stream, or, without `data`, what the server says about the stream itself. */
export type ServerSentEvent = { id: string | undefined; data: string | undefined; retryMs: number | undefined };

/**
 * The event stream interpretation of WHATWG HTML 9.2.6: every complete block, also one without data, whose id is a bookmark all the
 * same. A block that was cut off is dropped. Comments are told by `onActivity` alone, which is called for everything that arrives.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onActivity();
      const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield readBlock(block);
    }
  } finally {
    await reader.cancel();
  }
}

function readBlock(block: string): ServerSentEvent {
  const fields = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name !== undefined) fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  const retry = fields.get('retry')?.at(-1);
  return {
    id: fields.get('id')?.at(-1),
    data: fields.get('data')?.join('\n'),
    retryMs: retry !== undefined && /^\d+$/.test(retry) ? Number(retry) : undefined,
  };
}
