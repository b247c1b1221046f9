import { createServer, type IncomingMessage } from 'node:http';

/** Listens on PORT with node:http and nothing else, and answers each request with a JSON text. */
export function serveBare(
  answer: (request: IncomingMessage) => Promise<string>,
  statusOf: (request: IncomingMessage) => number = () => 200,
): void {
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => {
        response.writeHead(statusOf(request), {
          'Content-Type': 'application/json; charset=utf-8',
          'Content-Length': Buffer.byteLength(body),
        });
        return response.end(body);
      },
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}
