import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from 'tap';
import { ownCertificate } from '../secure-server.js';

/** A mail as it arrived. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Whether the connection was encrypted. */
  secure: boolean;
  /** The user that had logged in. */
  user: string | undefined;
  /** Head and body, as they were sent. */
  text: string;
}

export interface MailOptions {
  /** Nobody sends without logging in as this one. */
  login?: { user: string; password: string };
  /** TLS from the beginning, STARTTLS with a certificate that nothing trusts, or neither. Default `none`. */
  encryption?: 'tls' | 'starttls' | 'none';
  /** Throws, or returns an error with a `responseCode`, for an address that is refused. */
  recipient?: (address: string) => (Error & { responseCode?: number }) | undefined;
  /** The same for a whole message. */
  message?: (text: string) => (Error & { responseCode?: number }) | undefined;
  /** Says nothing for so long before it greets. */
  greets_after_ms?: number;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** How many connections are open. */
  readonly open: () => number;
}

/** An error that the server answers with. */
export function smtpError(responseCode: number, message: string): Error & { responseCode: number } {
  return Object.assign(new Error(message), { responseCode });
}

/** A real SMTP server on a free port of this machine; it ends with the test. */
export async function startMailServer(t: Test, options: MailOptions = {}): Promise<MailServer> {
  const { login, encryption = 'none' } = options;
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...ownCertificate,
    logger: false,
    secure: encryption === 'tls',
    authOptional: login === undefined,
    allowInsecureAuth: encryption === 'none',
    disabledCommands: [...(encryption === 'starttls' ? [] : ['STARTTLS']), ...(login ? [] : ['AUTH'])],
    ...handlersOf(options, mails),
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(() => {
    for (const connection of server.connections) connection.close();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.server.address() as AddressInfo).port, mails, open: () => server.connections.size };
}

function handlersOf({ login, recipient, message, greets_after_ms = 0 }: MailOptions, mails: ReceivedMail[]): SMTPServerOptions {
  return {
    onConnect: (_session, done) => void setTimeout(done, greets_after_ms).unref(),
    onAuth({ username, password }, _session, done) {
      const known = username === login?.user && password === login?.password;
      done(known ? null : smtpError(535, `5.7.8 Authentication of ${username} with ${password} failed`), { user: username });
    },
    onRcptTo: ({ address }, _session, done) => done(recipient?.(address)),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const refused = message?.(text);
        if (refused) return done(refused);
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        const user = session.user === undefined ? undefined : String(session.user);
        mails.push({ from, to: rcptTo.map(({ address }) => address), secure: session.secure, user, text });
        return done();
      });
    },
  };
}
