import type { Jobs, Tx } from '../queues/jobs.ts';

export type BookingTemplate = `booking-${'requested' | 'confirmed' | 'declined' | 'cancelled' | 'lapsed'}`;

type Mail = { id: string; to: string };

/** Mails somebody what has become of a booking, in the transaction of the change; what it says is read when it is sent. */
export async function mailBooking(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  template: BookingTemplate,
  mail: Mail,
): Promise<void> {
  await jobs.enqueue(tx, 'send-email', payloadOf(template, mail));
}

/** As mailBooking, for many. */
export async function mailBookings(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  template: BookingTemplate,
  mails: readonly Mail[],
): Promise<void> {
  await jobs.enqueueAll(
    tx,
    'send-email',
    mails.map((mail) => ({ payload: payloadOf(template, mail) })),
  );
}

const payloadOf = (template: BookingTemplate, { id, to }: Mail) => ({
  message_id: `${template}.${id}`,
  template,
  user_id: to,
  data: { booking_id: id },
});
