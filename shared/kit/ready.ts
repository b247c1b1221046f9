import { z } from 'zod';

/** What a process tells its supervisor once it serves. */
const readyMessage = z.strictObject({ ready: z.literal(true) });

/** Tells the supervisor, where there is one, that this process serves. */
export function notifyReady(): void {
  process.send?.({ ready: true } satisfies z.infer<typeof readyMessage>);
}

export const isReadyMessage = (message: unknown): boolean => readyMessage.safeParse(message).success;
