import { withoutSecrets } from '../../../kernel/contract/index.js';
import { Undelivered } from './channel.js';
import type { SmtpSettings } from './smtp.js';

/** The parts of nodemailer's errors that describe the cause. */
interface MailError extends Error {
  code?: string;
  /** Code of the underlying system error. */
  originalCode?: string;
  /** The server's reply and its code: 4xx temporary, 5xx permanent. */
  response?: string;
  responseCode?: number;
  command?: string;
  timeoutType?: string;
}

interface Verdict {
  /** A sentence without the full stop; the server's reply follows. */
  message: string;
  /** Advice for an administrator. */
  advice?: string;
  /** Default: true unless the reply is permanent. */
  retry?: boolean;
}

type Server = Pick<SmtpSettings, 'host' | 'port' | 'secure' | 'user' | 'password'>;

const max_reply = 300;
const certificates = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(?:GET|VERIFY)|self-signed|certificate/;
const plaintext_reply = /WRONG_VERSION_NUMBER|wrong version number|packet length too long|EPROTO/i;
const outdated_tls = /UNSUPPORTED_PROTOCOL|unsupported protocol|alert protocol version|PROTOCOL_VERSION|dh key too small|no shared cipher/i;
/** Replies of servers that greylist or throttle, sometimes with a permanent code. */
const temporary = /gr[ae]y-?\s?list|try again later|temporar|frequency limit|rate limit|too many (?:messages|connections|e?mails)/i;
const wantsTls = /STARTTLS|encryption (?:is )?required|requires? (?:TLS|encryption)/i;

/**
 * Describes why a mail was not sent, with the server's reply, and whether a retry may succeed: 4xx replies are
 * temporary, 5xx permanent (RFC 5321, section 4.2.1). Secrets in the reply are masked.
 */
export function mailFailure(thrown: unknown, server: Server): Undelivered {
  const error = thrown as MailError;
  const { message, advice, retry = isTemporary(error) } = verdictOf(error, server);
  const reply = replyOf(error, server);
  const hint = advice === undefined ? '' : `: an administrator has to ${advice}`;
  return new Undelivered(`${message}${reply}${hint}`, { retry, cause: thrown });
}

function isTemporary({ responseCode, response = '' }: MailError): boolean {
  return responseCode === undefined || responseCode < 500 || temporary.test(response);
}

function verdictOf(error: MailError, server: Server): Verdict {
  const { code, response = '', responseCode } = error;
  if (wantsTls.test(response) && code !== 'ETLS' && !/^2/.test(response))
    return { message: 'The mail server requires an encrypted connection', advice: 'set PLATFORM_SMTP_SECURE', retry: false };
  if (responseCode === 530) return { message: 'The mail server requires a user name', advice: 'set PLATFORM_SMTP_USER', retry: false };
  if (responseCode === undefined) return connectionVerdict(error, server);
  switch (code) {
    case 'EAUTH':
      return { message: 'The mail server rejected the login', advice: 'check PLATFORM_SMTP_USER and PLATFORM_SMTP_PASSWORD' };
    case 'ETLS':
      return { message: 'Could not establish an encrypted connection to the mail server', advice: 'check PLATFORM_SMTP_SECURE' };
    case 'EENVELOPE':
      return { message: `The mail server refused ${rejectedPart(error)}` };
    case 'EMESSAGE':
      return { message: 'The mail server refused the message' };
    default:
      return { message: rejectedSession(error) };
  }
}

function rejectedPart({ command }: MailError): string {
  if (command === 'MAIL FROM') return "the platform's own address";
  return command === 'DATA' ? 'the message' : 'the address';
}

function rejectedSession({ command }: MailError): string {
  return command === 'EHLO' || command === 'HELO'
    ? "The mail server rejected the platform's greeting (EHLO)"
    : 'The mail server refused the session';
}

/** Classifies a failure without a reply by the state of the connection. */
function connectionVerdict(error: MailError, { port, secure }: Server): Verdict {
  const { code, originalCode = '', timeoutType } = error;
  const text = `${originalCode} ${error.message}`;
  if (code === 'EAUTH') return { message: 'The mail server rejected the login', advice: 'check PLATFORM_SMTP_USER', retry: false };
  if (secure === 'tls' && plaintext_reply.test(text))
    return {
      message: `The mail server does not use TLS from the start on port ${port}`,
      advice: 'set PLATFORM_SMTP_SECURE to starttls, or PLATFORM_SMTP_PORT to that for TLS, as a rule 465',
      retry: false,
    };
  if (outdated_tls.test(text))
    return { message: 'The mail server supports only insecure versions of TLS', advice: 'update it', retry: false };
  if (certificates.test(text))
    return {
      message: `The certificate of the mail server is not trusted${originalCode.includes('_') ? ` (${originalCode})` : ''}`,
      advice: 'check it, or set NODE_EXTRA_CA_CERTS',
      retry: false,
    };
  if (code === 'EPROTOCOL')
    return { message: `The server on port ${port} is not a mail server`, advice: 'check PLATFORM_SMTP_PORT', retry: false };
  if (code === 'ETLS')
    return {
      message: 'Could not establish an encrypted connection to the mail server',
      advice: 'check PLATFORM_SMTP_SECURE',
      retry: false,
    };
  if (timeoutType === 'GREETING_TIMEOUT' && secure !== 'tls')
    return {
      message: 'The mail server did not answer in time; if it uses TLS from the start on this port',
      advice: 'set PLATFORM_SMTP_SECURE to tls',
      retry: true,
    };
  if (code === 'EABORT' || code === 'ETIMEDOUT')
    return { message: 'The mail server did not answer in time, or the delivery was cancelled' };
  if (code === 'EDNS') return { message: 'Could not resolve the name of the mail server', advice: 'check PLATFORM_SMTP_HOST', retry: true };
  return { message: 'Could not reach the mail server, or it closed the connection' };
}

/** Formats the reply on one line without the code of each line, such as ` (SMTP 550: 5.1.1 No such user)`. */
function replyOf({ response = '', responseCode }: MailError, { user, password }: Server): string {
  if (responseCode === undefined) return '';
  const lines = response.split(/\r?\n/).map((line) => line.replace(/^\d{3}[ -]?/, '').trim());
  const text = lines
    .join(' ')
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  const secrets = secretsOf(user, password);
  const maskedReply = containsShortSecret(text, secrets) ? '' : withoutSecrets(text, secrets).slice(0, max_reply).toWellFormed();
  return maskedReply === '' ? ` (SMTP ${responseCode})` : ` (SMTP ${responseCode}: ${maskedReply})`;
}

/** The password in plain text and in its encoded forms (RFC 4616, AUTH LOGIN). */
function secretsOf(user: string, password: string): string[] {
  if (password === '') return [];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [password, base64(password), base64(`\0${user}\0${password}`)];
}

/** Whether the text contains a secret that is too short to be masked: it could match part of any word, so nothing is shown. */
function containsShortSecret(words: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length < 8 && words.includes(secret));
}
