import { hostname } from 'node:os';
import { type Clock, emailAddress } from '../../../kernel/contract/index.js';
import { type Channel, type Field, type Note, Undelivered } from './channel.js';
import { mailFailure } from './mail-failure.js';
import { greetingName, type SmtpSettings, senderOf } from './smtp.js';
import { cut, summaryOf, titleOf } from './text.js';

export interface EmailOptions {
  smtp: SmtpSettings | undefined;
  clock: Clock;
  /** Timeout of the connection; the greeting may take twice as long, everything together three times. */
  timeout_ms: number;
}

const max_subject = 200;

/** Sends plain-text mail through the platform's SMTP server. A retry after a lost response carries the same `Message-ID`. */
export function emailChannel({ smtp, clock, timeout_ms }: EmailOptions): Channel {
  const send = smtp && mailSender({ smtp, clock, timeout_ms });
  return {
    name: 'email',
    title: 'E-mail',
    fields: [addressField],
    async send({ settings: { address = '' }, note, signal }) {
      if (!smtp || !send)
        throw new Undelivered('No mail server is configured: an administrator must set PLATFORM_SMTP_HOST', { retry: false });
      await send({ address, subject: titleOf(note), text: bodyOf(note), message_id: messageIdOf(note, smtp.from), signal });
    },
  };
}

/** Mail to one person. */
export interface PlainMail {
  address: string;
  /** Shortened if it is too long. */
  subject: string;
  text: string;
  /** Default: a new one. */
  message_id?: string;
  signal: AbortSignal;
}

/** Returns a function that sends a mail through an SMTP server. It rejects with {@link Undelivered}. */
export function mailSender({ smtp, clock, timeout_ms }: EmailOptions & { smtp: SmtpSettings }): (mail: PlainMail) => Promise<void> {
  return async ({ signal, ...mail }) => {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(abort, timeout_ms * 3);
    try {
      await sendMail({ smtp, timeout_ms }, { ...mail, date: new Date(clock.now()), signal: stop.signal });
    } catch (thrown) {
      throw mailFailure(thrown, smtp);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

async function sendMail(
  { smtp, timeout_ms }: { smtp: SmtpSettings; timeout_ms: number },
  { address, subject, text, message_id, date, signal }: PlainMail & { date: Date },
): Promise<void> {
  // Imported on first use: costs 30 ms and 4 MB.
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user, password, from } = smtp;
  const name = greetingName(hostname(), from);
  const transport = createTransport({
    host,
    port,
    ...(name === undefined ? {} : { name }),
    secure: secure === 'tls',
    requireTLS: secure === 'starttls',
    ignoreTLS: secure === 'none',
    ...(user === '' ? {} : { auth: { user, pass: password } }),
    connectionTimeout: timeout_ms,
    // Servers delay the greeting for unknown clients, and scan a message before they accept it.
    greetingTimeout: timeout_ms * 2,
    socketTimeout: timeout_ms * 3,
    dnsTimeout: timeout_ms,
    socketCloseTimeout: 1_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  await transport.sendMail({
    // As an object, an address is always a single one, whatever characters it contains.
    from: senderOf(from),
    to: { name: '', address },
    subject: cut(subject, { max: max_subject, size: (part) => part.length }),
    text,
    ...(message_id !== undefined && { messageId: message_id }),
    date,
    // Suppresses out-of-office replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    signal,
  });
}

function bodyOf(note: Note): string {
  return `${[summaryOf(note) || titleOf(note), note.url].filter((part) => part !== null).join('\n\n')}\n`;
}

/** The time distinguishes two installations that send from the same domain. */
function messageIdOf({ id, created_at }: Note, from: string): string {
  const [, domain = 'localhost'] = senderOf(from).address.split('@');
  return `<notification-${id}.${Date.parse(created_at)}@${domain}>`;
}

const addressField: Field = {
  name: 'address',
  label: 'Address',
  secret: false,
  required: true,
  description: 'The e-mail address that notifications are sent to.',
  check: (value) => (emailAddress.test(value) ? undefined : 'it is not an e-mail address such as name@host.example'),
};
