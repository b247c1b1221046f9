// A server that believes only what the marketplace has signed.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from 'quayside';

const secret = process.env['WEBHOOK_SECRET'] ?? '';

function describe(event: WebhookEvent): string {
  switch (event.type) {
    case 'listing.sold':
      return `sold: ${event.data.title}`;
    case 'message.received':
      return `somebody wrote in ${event.data.conversation_id}`;
    default:
      return event.type;
  }
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    console.log(describe(await verifyWebhook(await text(request), request.headers, secret)));
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end(error.message);
  }
}

const server = createServer((request, response) => void receive(request, response));
server.listen(Number(process.env['PORT'] ?? 4000), () => console.log('listening'));
