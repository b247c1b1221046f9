import { randomBytes } from 'node:crypto';
import type { QuaysideEvent } from '../../contract.ts';
import { signWebhook } from '../../webhooks.ts';
import { UsageError, stringFlag, type Command } from '../command.ts';
import { describeEvent, feedFlags, followByFlags } from './tail.ts';

const TIMEOUT_MS = 10_000;

/** Posts events of the feed, signed as webhooks are, to a server in development. */
export const listenCommand: Command = {
  name: 'listen',
  summary: 'post your events to a local URL as webhooks, for development',
  positionals: 'URL',
  arity: [1, 1],
  flags: {
    ...feedFlags,
    secret: {
      type: 'string',
      value: 'whsec_…',
      about: 'what deliveries are signed with; else a new one, which is shown',
    },
  },
  async run(context, values, [target = '']) {
    if (!/^https?:\/\//i.test(target) || !URL.canParse(target))
      throw new UsageError(`'${target}' is not an http(s) URL.`);
    const secret = stringFlag(values, 'secret') ?? `whsec_${randomBytes(32).toString('base64')}`;
    process.stderr.write(`Signing with ${secret}\n`);
    for await (const event of followByFlags(context, values)) {
      const outcome = await deliver(event, target, secret);
      if (context.isJson) context.printJson({ ...outcome, event });
      else context.print(`${describeEvent(event)}  ->  ${outcome.status ?? outcome.error}`);
    }
  },
};

type Delivery = { status: number | null; error: string | null };

/** The id is made of the event's, so that a repetition is known as one. */
async function deliver(
  { seq, type, created_at, data }: QuaysideEvent,
  target: string,
  secret: string,
): Promise<Delivery> {
  const id = `whd_${String(seq).padStart(26, '0')}`;
  const body = JSON.stringify({ id, type, created_at, data });
  try {
    const response = await fetch(target, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', ...(await signWebhook({ id, body }, secret)) },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: null };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: null, error: cause instanceof Error ? cause.message : message };
  }
}
