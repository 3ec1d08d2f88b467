/** How the mail server is reached. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** `starttls` and `tls` insist on encryption and on a certificate that Node.js trusts. */
  secure: 'starttls' | 'tls' | 'none';
  /** Empty: nobody logs in. */
  user: string;
  password: string;
  /** `address`, or `Name <address>`. */
  from: string;
}

/** Reads the configured mail server; undefined if there is none. The configuration has validated it. */
export function readSmtp(config: Readonly<Record<string, unknown>>): SmtpSettings | undefined {
  const settings = config.smtp as SmtpSettings | undefined;
  if (!settings?.host) return undefined;
  const { host, user, from } = settings;
  return { ...settings, from: from || (user.includes('@') ? user : `platform@${host}`) };
}

export interface Sender {
  /** As people read it; may be empty. */
  name: string;
  address: string;
}

const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const atom = "[\\p{L}\\p{N}\\p{M}!#$%&'*+/=?^_`{|}~.-]+";
/** RFC 5322, section 3.2.5, with the dots of its obsolete form: `"Acme, Inc." Support`. */
const phrase = new RegExp(`^(?:${quoted}|${atom})(?:\\s+(?:${quoted}|${atom}))*$`, 'u');

/**
 * Reads `address`, `<address>` or `Name <address>`. A name that is written as RFC 5322 wants it loses the quotation marks
 * around its words; any other is taken as it stands, so that a comma needs none.
 */
export function senderOf(from: string): Sender {
  const [, written = '', address = from.trim()] = /^\s*(.*?)\s*<([^<>]+)>\s*$/su.exec(from) ?? [];
  if (!phrase.test(written)) return { name: written, address };
  const words = written.match(new RegExp(`${quoted}|${atom}`, 'gu')) ?? [];
  return { name: words.map(unquoted).join(' '), address };
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word;
}

/**
 * The name in EHLO where the machine has no full one: servers refuse `[127.0.0.1]` and `localhost`. Undefined if the
 * sender's domain is no full name either.
 */
export function greetingName(hostname: string, from: string): string | undefined {
  if (hostname.includes('.')) return hostname;
  const url = `http://${senderOf(from).address.split('@').at(-1) ?? ''}`;
  const domain = URL.canParse(url) ? new URL(url).hostname : '';
  return domain.includes('.') && !/^[\d.]+$/.test(domain) ? domain : undefined;
}
