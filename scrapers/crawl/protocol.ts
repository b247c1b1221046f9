import { z } from 'zod';
import { crawlEnd, crawlNews, crawlSettings, crawlSpec, knownPage } from './spec.ts';

const host = z.string().min(1);
const milliseconds = z.number().min(0);
const count = z.int().positive();

/**
 * What a crawl calls in the process that started it: everything that lives in the database. (birpc checks no arguments and no
 * answers, and is silent about answers to calls that were not made and messages that are none.)
 */
const procedures = {
  reserveSlot: { args: z.tuple([host, z.number().positive(), count]), answer: milliseconds },
  backOff: { args: z.tuple([host, milliseconds]), answer: z.void() },
  acquire: { args: z.tuple([host]), answer: z.string().optional() },
  release: { args: z.tuple([host, z.string()]), answer: z.void() },
  /** What is known of some pages from earlier crawls, in their order. */
  readPages: { args: z.tuple([z.array(z.string())]), answer: z.array(knownPage.optional()) },
  readRobots: { args: z.tuple([host]), answer: z.string().optional() },
  writeRobots: { args: z.tuple([host, z.string()]), answer: z.void() },
  report: { args: z.tuple([crawlNews]), answer: z.void() },
  /** A line for the log of the run. */
  log: { args: z.tuple([z.enum(['debug', 'info']), z.string(), z.record(z.string(), z.unknown())]), answer: z.void() },
};

type Name = keyof typeof procedures;
type Args<N extends Name> = z.infer<(typeof procedures)[N]['args']>;
type Answer<N extends Name> = z.infer<(typeof procedures)[N]['answer']>;

/** The remote procedure calls of a crawl to its parent. */
export type ParentRpc = { [N in Name]: (...args: Args<N>) => Promise<Answer<N>> };

const names = Object.keys(procedures) as Name[];
const id = z.int().positive();

/** What the process of a crawl sends to its parent. The arguments of a call are checked against its procedure. */
const fromCrawl = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), id, name: z.enum(names), args: z.array(z.unknown()) }),
  z.object({ kind: z.literal('end'), end: crawlEnd }),
]);

/** What the parent sends to the process of a crawl. An answer is checked against the procedure that was called. */
const toCrawl = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), spec: crawlSpec, settings: crawlSettings }),
  z.object({ kind: z.literal('answer'), id, value: z.unknown() }),
  z.object({ kind: z.literal('stop') }),
]);

export type FromCrawl = z.infer<typeof fromCrawl>;
export type ToCrawl = z.infer<typeof toCrawl>;

/** Thrown for a message that fails its schema. It names the place and what was expected there, and repeats no content. */
export class ProtocolError extends Error {}

export const readFromCrawl = (message: unknown): FromCrawl => parse(fromCrawl, 'message to the parent', message);

export const readToCrawl = (message: unknown): ToCrawl => parse(toCrawl, 'message to the crawl', message);

/** Calls a procedure as a message asks, and answers what it does. Throws ProtocolError when arguments are missing or wrong. */
export function callProcedure(rpc: ParentRpc, name: Name, args: unknown[]): Promise<unknown> {
  const procedure = rpc[name] as (...args: unknown[]) => Promise<unknown>;
  return procedure(...parse<unknown[]>(procedures[name].args, `call of ${name}`, args));
}

type Waiting = { name: Name; resolve: (value: unknown) => void };

/** The crawl's end of the calls: `rpc` sends them, and `answer` settles the one it is for or throws ProtocolError. */
export function createCaller(send: (message: FromCrawl) => void) {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const call = (name: Name, args: unknown[]) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, { name, resolve });
      send({ kind: 'call', id: lastId, name, args });
    });
  const entries = names.map((name) => [name, (...args: unknown[]) => call(name, args)]);
  return {
    rpc: Object.fromEntries(entries) as ParentRpc,
    answer({ id: callId, value }: Extract<ToCrawl, { kind: 'answer' }>): void {
      const call = waiting.get(callId);
      if (!call) throw new ProtocolError(`The answer to a call that was not made (${callId}).`);
      waiting.delete(callId);
      call.resolve(parse<unknown>(procedures[call.name].answer, `answer to ${call.name}`, value));
    },
  };
}

function parse<T>(schema: z.ZodType<T>, what: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
  throw new ProtocolError(`A malformed ${what}${place}: ${issue?.message}.`);
}
