import type { QuaysideEvent, QuaysideEventType } from '../../contract.ts';
import { followEvents } from '../../follow-events.ts';
import { numberFlag, stringFlag, type Command, type CommandContext, type Flag, type FlagValues } from '../command.ts';

/** Which events a command follows, and how many. */
export const feedFlags: Record<string, Flag> = {
  type: { type: 'string', value: 'TYPE', about: 'only events of this type, such as listing.sold' },
  subject: { type: 'string', value: 'ID', about: 'only events about this thing' },
  after: { type: 'string', value: 'SEQ', about: 'begin behind this event; 0 is the oldest, without it: now' },
  count: { type: 'string', short: 'n', value: 'N', about: 'end after so many events' },
};

/** The events that the options ask for, until there are enough or the process is told to end. */
export async function* followByFlags(context: CommandContext, values: FlagValues): AsyncGenerator<QuaysideEvent> {
  const count = numberFlag(values, 'count', 1) ?? Infinity;
  // The service says which types there are.
  const type = stringFlag(values, 'type') as QuaysideEventType | undefined;
  const filter = { type, subject: stringFlag(values, 'subject'), after: numberFlag(values, 'after') };
  let seen = 0;
  for await (const event of followEvents(context.client, { ...filter, signal: context.interruptible() })) {
    yield event;
    seen += 1;
    if (seen >= count) return;
  }
}

/** Prints events as they happen. */
export const tailCommand: Command = {
  name: 'tail',
  summary: 'watch what happens to your listings, live',
  positionals: '',
  arity: [0, 0],
  flags: feedFlags,
  async run(context, values) {
    for await (const event of followByFlags(context, values)) {
      if (context.isJson) context.printJson(event);
      else context.print(describeEvent(event));
    }
  },
};

/** One line for a person: when, what, about what. */
export function describeEvent({ seq, created_at, type, subject, data }: QuaysideEvent): string {
  const title = 'title' in data ? data.title : '';
  return [String(seq), created_at, type, subject, title].join('  ');
}
