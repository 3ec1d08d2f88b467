import { withoutSecrets } from '../../../kernel/contract/index.js';
import { Undelivered } from './channel.js';
import type { SmtpSettings } from './smtp.js';

/** What nodemailer throws, as far as it tells what happened. */
interface MailError extends Error {
  code?: string;
  /** Of the system error beneath. */
  originalCode?: string;
  /** The server's reply, and its code: 4xx for now, 5xx for good. */
  response?: string;
  responseCode?: number;
  command?: string;
  timeoutType?: string;
}

interface Verdict {
  /** A sentence without its end; the server's reply follows it. */
  message: string;
  /** The task of an administrator, if one helps. */
  advice?: string;
  /** Default: unless the reply is for good. */
  retry?: boolean;
}

type Server = Pick<SmtpSettings, 'host' | 'port' | 'secure' | 'user' | 'password'>;

const max_reply = 300;
const certificates = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(?:GET|VERIFY)|self-signed|certificate/;
const notTls = /WRONG_VERSION_NUMBER|wrong version number|packet length too long|EPROTO/i;
const oldTls = /UNSUPPORTED_PROTOCOL|unsupported protocol|alert protocol version|PROTOCOL_VERSION|dh key too small|no shared cipher/i;
/** Servers that greylist or throttle say so, some with a code that means "for good". */
const temporary = /gr[ae]y-?\s?list|try again later|temporar|frequency limit|rate limit|too many (?:messages|connections|e?mails)/i;
const wantsTls = /STARTTLS|encryption (?:is )?required|requires? (?:TLS|encryption)/i;

/**
 * Tells why a mail was not sent, with the server's own words, and whether a later try may succeed: a 4xx reply is for
 * now, a 5xx for good (RFC 5321, section 4.2.1). Secrets in the server's words are blotted out.
 */
export function mailFailure(thrown: unknown, server: Server): Undelivered {
  const error = thrown as MailError;
  const { message, advice, retry = isTemporary(error) } = verdictOf(error, server);
  const reply = replyOf(error, server);
  const told = advice === undefined ? '' : `: an administrator has to ${advice}`;
  return new Undelivered(`${message}${reply}${told}`, { retry, cause: thrown });
}

function isTemporary({ responseCode, response = '' }: MailError): boolean {
  return responseCode === undefined || responseCode < 500 || temporary.test(response);
}

function verdictOf(error: MailError, server: Server): Verdict {
  const { code, response = '', responseCode } = error;
  if (wantsTls.test(response) && code !== 'ETLS' && !/^2/.test(response))
    return { message: 'The mail server wants an encrypted connection', advice: 'set PLATFORM_SMTP_SECURE', retry: false };
  if (responseCode === 530) return { message: 'The mail server wants a user name', advice: 'set PLATFORM_SMTP_USER', retry: false };
  if (responseCode === undefined) return silent(error, server);
  switch (code) {
    case 'EAUTH':
      return { message: 'The mail server did not let the platform log in', advice: 'check PLATFORM_SMTP_USER and PLATFORM_SMTP_PASSWORD' };
    case 'ETLS':
      return { message: 'No encrypted connection to the mail server could be made', advice: 'check PLATFORM_SMTP_SECURE' };
    case 'EENVELOPE':
      return { message: `The mail server refused ${refusedPart(error)}` };
    case 'EMESSAGE':
      return { message: 'The mail server refused the message' };
    default:
      return { message: refusedSession(error) };
  }
}

function refusedPart({ command }: MailError): string {
  if (command === 'MAIL FROM') return "the platform's own address";
  return command === 'DATA' ? 'the message' : 'the address';
}

function refusedSession({ command }: MailError): string {
  return command === 'EHLO' || command === 'HELO'
    ? 'The mail server did not accept how the platform introduces itself'
    : 'The mail server does not serve the platform';
}

/** Judges a failure without a reply by the state of the connection. */
function silent(error: MailError, { port, secure }: Server): Verdict {
  const { code, originalCode = '', timeoutType } = error;
  const words = `${originalCode} ${error.message}`;
  if (code === 'EAUTH')
    return { message: 'The mail server did not let the platform log in', advice: 'check PLATFORM_SMTP_USER', retry: false };
  if (secure === 'tls' && notTls.test(words))
    return {
      message: `The mail server does not begin with TLS at port ${port}`,
      advice: 'set PLATFORM_SMTP_SECURE to starttls, or PLATFORM_SMTP_PORT to that for TLS, as a rule 465',
      retry: false,
    };
  if (oldTls.test(words))
    return { message: 'The mail server speaks only versions of TLS that are no longer safe', advice: 'have it updated', retry: false };
  if (certificates.test(words))
    return {
      message: `The certificate of the mail server is not trusted${originalCode.includes('_') ? ` (${originalCode})` : ''}`,
      advice: 'check it, or set NODE_EXTRA_CA_CERTS',
      retry: false,
    };
  if (code === 'EPROTOCOL')
    return { message: `What answers at port ${port} is no mail server`, advice: 'check PLATFORM_SMTP_PORT', retry: false };
  if (code === 'ETLS')
    return { message: 'No encrypted connection to the mail server could be made', advice: 'check PLATFORM_SMTP_SECURE', retry: false };
  if (timeoutType === 'GREETING_TIMEOUT' && secure !== 'tls')
    return {
      message: 'The mail server did not answer in time; if it begins with TLS at this port',
      advice: 'set PLATFORM_SMTP_SECURE to tls',
      retry: true,
    };
  if (code === 'EABORT' || code === 'ETIMEDOUT') return { message: 'The mail server did not answer in time, or the delivery was stopped' };
  if (code === 'EDNS')
    return { message: 'The name of the mail server could not be resolved', advice: 'check PLATFORM_SMTP_HOST', retry: true };
  return { message: 'The mail server could not be reached, or broke the connection off' };
}

/** ` (SMTP 550: 5.1.1 No such user)`: the server's words on one line, without the code in each line. */
function replyOf({ response = '', responseCode }: MailError, { user, password }: Server): string {
  if (responseCode === undefined) return '';
  const lines = response.split(/\r?\n/).map((line) => line.replace(/^\d{3}[ -]?/, '').trim());
  const words = lines
    .join(' ')
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  const secrets = secretsOf(user, password);
  const shown = holdsShort(words, secrets) ? '' : withoutSecrets(words, secrets).slice(0, max_reply).toWellFormed();
  return shown === '' ? ` (SMTP ${responseCode})` : ` (SMTP ${responseCode}: ${shown})`;
}

/** The password, and how it goes over the wire (RFC 4616, AUTH LOGIN). */
function secretsOf(user: string, password: string): string[] {
  if (password === '') return [];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [password, base64(password), base64(`\0${user}\0${password}`)];
}

/** Whether the words contain a secret that is too short to be cut out: it could be part of any word, so nothing is shown. */
function holdsShort(words: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => secret.length < 8 && words.includes(secret));
}
