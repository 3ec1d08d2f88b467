/** Settings of the mail server. */
export interface SmtpSettings {
  host: string;
  port: number;
  /** `starttls` and `tls` require encryption and a certificate that Node.js trusts. */
  secure: 'starttls' | 'tls' | 'none';
  /** Empty: no login. */
  user: string;
  password: string;
  /** `address` or `Name <address>`. */
  from: string;
}

/** Reads the configured mail server; undefined if there is none. The values were validated with the configuration. */
export function readSmtp(config: Readonly<Record<string, unknown>>): SmtpSettings | undefined {
  const settings = config.smtp as SmtpSettings | undefined;
  if (!settings?.host) return undefined;
  const { host, user, from } = settings;
  return { ...settings, from: from || (user.includes('@') ? user : `platform@${host}`) };
}

export interface Sender {
  /** Name for display; may be empty. */
  name: string;
  address: string;
}

const quoted_string = '"(?:[^"\\\\]|\\\\.)*"';
const atom = "[\\p{L}\\p{N}\\p{M}!#$%&'*+/=?^_`{|}~.-]+";
/** RFC 5322, section 3.2.5, with the dots of its obsolete form: `"Acme, Inc." Support`. */
const phrase = new RegExp(`^(?:${quoted_string}|${atom})(?:\\s+(?:${quoted_string}|${atom}))*$`, 'u');

/**
 * Parses `address`, `<address>` or `Name <address>`. A name in RFC 5322 form loses the quotation marks around its
 * words; any other is used verbatim, so a comma needs no quotes.
 */
export function senderOf(from: string): Sender {
  const [, written = '', address = from.trim()] = /^\s*(.*?)\s*<([^<>]+)>\s*$/su.exec(from) ?? [];
  if (!phrase.test(written)) return { name: written, address };
  const words = written.match(new RegExp(`${quoted_string}|${atom}`, 'gu')) ?? [];
  return { name: words.map(unquoted).join(' '), address };
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word;
}

/**
 * Returns the name for EHLO if the machine has no fully qualified one: servers refuse `[127.0.0.1]` and `localhost`.
 * Undefined if the sender's domain isn't fully qualified either.
 */
export function greetingName(hostname: string, from: string): string | undefined {
  if (hostname.includes('.')) return hostname;
  const url = `http://${senderOf(from).address.split('@').at(-1) ?? ''}`;
  const domain = URL.canParse(url) ? new URL(url).hostname : '';
  return domain.includes('.') && !/^[\d.]+$/.test(domain) ? domain : undefined;
}
