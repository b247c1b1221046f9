import { SMTPServer } from 'smtp-server';

type Delivery = { from: string; to: string[]; raw: Buffer };

/** The reply to one step: an SMTP error code, 'drop' for a connection cut without a reply, or undefined for acceptance. */
export type Verdict = number | 'drop' | undefined;

export type SmtpServerStub = { url: string; deliveries: Delivery[]; close(): Promise<void> };

/** A mail server on 127.0.0.1 that keeps every message whose data arrived whole, whatever it answers to it afterwards. */
export async function startSmtp(judge: (step: 'rcpt' | 'data') => Verdict = () => undefined): Promise<SmtpServerStub> {
  const deliveries: Delivery[] = [];
  const reply = (step: 'rcpt' | 'data', sessionId: string, done: (error?: Error | null) => void) => {
    const verdict = judge(step);
    if (verdict === 'drop') {
      for (const connection of server.connections) if (connection.id === sessionId) connection._socket.destroy();
      return;
    }
    done(verdict === undefined ? null : Object.assign(new Error('refused by the test'), { responseCode: verdict }));
  };
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: (_address, session, done) => reply('rcpt', session.id, done),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        deliveries.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks),
        });
        reply('data', session.id, done);
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    deliveries,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
