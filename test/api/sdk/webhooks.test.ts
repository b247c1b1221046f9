import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { signWebhook, verifyWebhook, WebhookVerificationError, type WebhookEvent } from '../../../api/sdk/src/index.ts';
import { createWebhookSecret } from '../../../shared/webhooks/secret.ts';

const secret = createWebhookSecret();
const now = new Date('2026-03-01T12:00:00Z');
const payload = {
  id: 'whd_01K6QB7N8P9Q0R1S2T3V4W5X6Y',
  type: 'message.received',
  created_at: now.toISOString(),
  data: { message_id: 'msg_1', conversation_id: 'cnv_1', listing_id: null, sender_id: 'usr_1' },
};
const body = JSON.stringify({ ...payload, note: 'ä 船' });

/** Headers as the service writes them, by the reference implementation. */
const headersOf = (secrets = [secret], at = now) => ({
  'webhook-id': payload.id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  'webhook-signature': secrets.map((each) => new Webhook(each).sign(payload.id, at, body)).join(' '),
});

describe('a delivery that was signed', () => {
  const headers = headersOf();
  test.each([
    ['text and plain headers', body, headers],
    ['bytes', new TextEncoder().encode(body), headers],
    ['an ArrayBuffer and Headers', new TextEncoder().encode(body).buffer, new Headers(headers)],
    [
      'headers in capitals',
      body,
      {
        'Webhook-Id': headers['webhook-id'],
        'Webhook-Timestamp': headers['webhook-timestamp'],
        'Webhook-Signature': [headers['webhook-signature']],
      },
    ],
  ])('is its event: %s', async (_, body, headers) => {
    expect(await verifyWebhook(body, headers, secret, { now })).toMatchObject(payload);
  });

  test('is believed while a secret is being replaced, on either side', async () => {
    const fresh = createWebhookSecret();
    expect(await verifyWebhook(body, headersOf([fresh, secret]), secret, { now })).toMatchObject(payload);
    expect(await verifyWebhook(body, headersOf([secret]), [fresh, secret], { now })).toMatchObject(payload);
  });

  test('is believed up to the tolerance, before and behind', async () => {
    for (const seconds of [-300, 300]) {
      const at = new Date(now.getTime() + seconds * 1_000);
      expect(await verifyWebhook(body, headersOf([secret], at), secret, { now })).toMatchObject(payload);
    }
  });

  test('by signWebhook is one that the reference implementation believes', async () => {
    const signed = await signWebhook({ id: payload.id, body }, secret);
    expect(new Webhook(secret).verify(body, signed)).toMatchObject(payload);
  });

  test('is typed by its type', () => {
    const read = (event: WebhookEvent) => {
      if (event.type === 'listing.sold') expectTypeOf(event.data.price.amount).toEqualTypeOf<number>();
      if (event.type === 'run.failed') expectTypeOf(event.data.error).toEqualTypeOf<string | null>();
      // @ts-expect-error a message has no title
      if (event.type === 'message.received') return event.data.title;
      return event.type;
    };
    expect(read(payload as WebhookEvent)).toBeUndefined();
  });
});

describe('a delivery is refused', () => {
  test.each([
    ['when its body was changed', `${body} `, headersOf(), secret],
    ['when it was signed with another secret', body, headersOf([createWebhookSecret()]), secret],
    ['when its id was changed', body, { ...headersOf(), 'webhook-id': 'whd_2' }, secret],
    ['when its time was changed', body, { ...headersOf(), 'webhook-timestamp': '1772366401' }, secret],
    ['when its time is no number', body, { ...headersOf(), 'webhook-timestamp': 'now' }, secret],
    ['without a signature', body, { ...headersOf(), 'webhook-signature': undefined }, secret],
    [
      'with the signature of another version',
      body,
      { ...headersOf(), 'webhook-signature': headersOf()['webhook-signature'].replace('v1,', 'v1a,') },
      secret,
    ],
    ['with a signature that is no base64', body, { ...headersOf(), 'webhook-signature': 'v1,%%%' }, secret],
    ['with a signature that is cut off', body, { ...headersOf(), 'webhook-signature': 'v1,AAAA' }, secret],
    ['without headers', body, {}, secret],
    ['when the secret is empty', body, headersOf(), 'whsec_'],
    ['when there is no secret', body, headersOf(), []],
    ['when it is older than five minutes', body, headersOf([secret], new Date(now.getTime() - 301_000)), secret],
    ['when it is of the future', body, headersOf([secret], new Date(now.getTime() + 301_000)), secret],
  ])('%s', async (_, body, headers, secret) => {
    const result = verifyWebhook(body, headers, secret, { now });
    await expect(result).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
