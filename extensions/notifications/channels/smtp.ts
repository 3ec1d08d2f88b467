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

/** The configured mail server, or undefined where there is none. The configuration has validated it. */
export function readSmtp(config: Readonly<Record<string, unknown>>): SmtpSettings | undefined {
  const settings = config.smtp as SmtpSettings | undefined;
  if (!settings?.host) return undefined;
  const { host, user, from } = settings;
  return { ...settings, from: from || (user.includes('@') ? user : `platform@${host}`) };
}
