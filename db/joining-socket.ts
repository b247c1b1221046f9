import { Socket } from 'node:net';

type Done = (error?: Error | null) => void;
type Write = (this: Socket, chunk: Buffer, encoding: 'buffer', done: Done) => void;

/** Above this a copy costs more than it saves. */
const MOST_JOINED_BYTES = 65_536;

/**
 * A TCP socket that sends small pieces written together, as the messages of a query are, as one piece: Node hands several
 * to the system at twice the cost of one.
 */
export class JoiningSocket extends Socket {
  override _writev(pieces: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    const chunks = pieces.map(({ chunk }) => chunk);
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    if (bytes > MOST_JOINED_BYTES) super._writev?.(pieces, done);
    else (super._write as unknown as Write).call(this, Buffer.concat(chunks, bytes), 'buffer', done);
  }
}
