import type { SmtpSettings } from '../../../extensions/notifications/channels/smtp.js';
import type { MailScript } from '../../helpers/vendors/scripted-mail.js';

/** How a mail server behaves, and what becomes of a mail. */
export interface SmtpCase {
  name: string;
  source: string;
  script: MailScript;
  settings?: Partial<SmtpSettings>;
  expected: 'sent' | { retry: boolean; says: RegExp };
  /** The conversation has such a command. */
  command?: RegExp;
}

const login = { user: 'platform@work.example', password: 'mail-password-31c4' };
const rfc5321 = 'RFC 5321, section 4.2.1';

export const smtpCases: readonly SmtpCase[] = [
  {
    name: 'a server without EHLO is greeted with HELO',
    source: 'RFC 5321, section 3.2',
    script: { EHLO: '502 5.5.1 Command not implemented' },
    expected: 'sent',
    command: /^HELO /,
  },
  {
    name: 'the platform introduces itself by a full name, because localhost and addresses are refused',
    source: 'nodemailer/nodemailer#1742, repoze/repoze.sendmail#50, go-mail/mail#63',
    script: {},
    expected: 'sent',
    command: /^EHLO (?!\[|localhost)\S+\.\S+$/,
  },
  {
    name: 'a server that ends the session at EHLO is retried, and its reply is reported',
    source: 'calcom/cal.diy#5254, sct/overseerr#1887',
    script: { EHLO: '421 4.7.0 Try again later, closing connection. (EHLO)' },
    expected: { retry: true, says: /SMTP 421: 4\.7\.0 Try again later/ },
  },
  {
    name: 'a refused EHLO and HELO are not retried, and the reply is reported',
    source: 'postfix smtpd_helo_restrictions: reject_non_fqdn_helo_hostname',
    script: { EHLO: '504 5.5.2 <x>: Helo command rejected: need fully-qualified hostname', HELO: '504 5.5.2 <x>: Helo command rejected' },
    expected: { retry: false, says: /rejected the platform's greeting \(EHLO\) \(SMTP 504: 5\.5\.2 <x>: Helo command rejected\)/ },
  },
  {
    name: 'a busy greeting is retried',
    source: rfc5321,
    script: { greeting: '421 4.3.2 Too many connections' },
    expected: { retry: true, says: /SMTP 421: 4\.3\.2 Too many connections/ },
  },
  {
    name: 'a permanently refusing greeting is not retried',
    source: 'RFC 5321, section 3.1',
    script: { greeting: '554 5.7.1 No SMTP service here' },
    expected: { retry: false, says: /SMTP 554: 5\.7\.1 No SMTP service here/ },
  },
  {
    name: 'a greeting of several lines is one greeting',
    source: 'RFC 5321, section 4.2.1',
    script: { greeting: '220-mail.example\n220-No spam, please\n220 ESMTP' },
    expected: 'sent',
  },
  {
    name: 'a server that is not a mail server is reported as such',
    source: 'RFC 5321, section 3.1',
    script: { greeting: 'HTTP/1.1 400 Bad Request' },
    expected: { retry: false, says: /is not a mail server.*PLATFORM_SMTP_PORT/ },
  },
  {
    name: 'a silent server is retried, with a hint at TLS',
    source: 'meteor/meteor#8612: Greeting never received',
    script: { greeting: 'silence' },
    expected: { retry: true, says: /did not answer in time.*PLATFORM_SMTP_SECURE to tls/ },
  },
  {
    name: 'TLS from the start at a port without TLS is reported with both settings',
    source: 'louislam/uptime-kuma#140, gitroomhq/postiz-app#466',
    script: {},
    settings: { secure: 'tls' },
    expected: { retry: false, says: /does not use TLS from the start on port \d+.*PLATFORM_SMTP_SECURE to starttls/ },
  },
  {
    name: 'a server without STARTTLS gets no mail if STARTTLS is required',
    source: 'RFC 3207, section 4',
    script: {},
    settings: { secure: 'starttls', ...login },
    expected: { retry: false, says: /Could not establish an encrypted connection.*PLATFORM_SMTP_SECURE/ },
  },
  {
    name: 'temporarily unavailable STARTTLS is retried',
    source: 'RFC 3207, section 4',
    script: { EHLO: '250-mail.example\n250 STARTTLS', STARTTLS: '454 4.7.0 TLS not available due to temporary reason' },
    settings: { secure: 'starttls' },
    expected: { retry: true, says: /Could not establish an encrypted connection.*SMTP 454/ },
  },
  {
    name: 'a server that requires STARTTLS is reported with the setting',
    source: 'opencloud-eu/opencloud#514, vinyldns/vinyldns#1464',
    script: { 'MAIL FROM': '530 5.7.0 Must issue a STARTTLS command first' },
    expected: { retry: false, says: /requires an encrypted connection \(SMTP 530: .*STARTTLS.*PLATFORM_SMTP_SECURE/ },
  },
  {
    name: 'a server that requires STARTTLS with a temporary code is not retried either',
    source: 'apache/hertzbeat#2365, apiman/apiman#2090',
    script: { 'MAIL FROM': '451 5.7.3 STARTTLS is required to send mail' },
    expected: { retry: false, says: /requires an encrypted connection \(SMTP 451: .*PLATFORM_SMTP_SECURE/ },
  },
  {
    name: 'a server that requires a login is reported with the setting',
    source: 'RFC 4954, section 6',
    script: { 'MAIL FROM': '530 5.7.0 Authentication required' },
    expected: { retry: false, says: /requires a user name \(SMTP 530: .*PLATFORM_SMTP_USER/ },
  },
  {
    name: 'a server that knows only AUTH LOGIN is logged in to with it',
    source: 'basecamp/once#12, Enough-Software/enough_mail#53',
    script: { EHLO: '250-mail.example\n250-SIZE 52428800\n250-AUTH=LOGIN\n250 AUTH LOGIN', AUTH: '535 5.7.8 Not you' },
    settings: login,
    expected: { retry: false, says: /rejected the login \(SMTP 535: 5\.7\.8 Not you\)/ },
    command: /^AUTH LOGIN$/,
  },
  {
    name: 'a server that accepts no password logins is reported with its reply',
    source: 'nodemailer/nodemailer#1060, binwiederhier/ntfy#1020',
    script: { EHLO: '250-mail.example\n250 AUTH XOAUTH2', AUTH: '504 5.7.4 Unrecognized authentication type' },
    settings: login,
    expected: { retry: false, says: /rejected the login \(SMTP 504: 5\.7\.4 Unrecognized authentication type\).*PLATFORM_SMTP_PASSWORD/ },
  },
  {
    name: 'a temporarily failing login is retried',
    source: 'RFC 4954, section 6',
    script: { EHLO: '250-mail.example\n250 AUTH PLAIN', AUTH: '454 4.7.0 Temporary authentication failure' },
    settings: login,
    expected: { retry: true, says: /SMTP 454/ },
  },
  {
    name: 'a password that the server repeats is not shown',
    source: 'a reply may quote what it answers',
    script: {
      EHLO: '250-mail.example\n250 AUTH PLAIN',
      AUTH: `535 5.7.8 ${login.password} and ${Buffer.from(`\0${login.user}\0${login.password}`).toString('base64')} are wrong`,
    },
    settings: login,
    expected: { retry: false, says: /\(SMTP 535: 5\.7\.8 … and … are wrong\)/ },
  },
  {
    name: 'greylisting is retried',
    source: 'RFC 6647; eleith/emailjs#202',
    script: { 'RCPT TO': '450 4.2.0 <ada@people.example>: Recipient address rejected: Greylisted' },
    expected: { retry: true, says: /refused the address \(SMTP 450: 4\.2\.0 .*Greylisted\)/ },
  },
  {
    name: 'a reply that mentions greylisting is retried whatever its code',
    source: 'stalwartlabs/stalwart#1108, cosullivan/SmtpServer#98',
    script: { 'RCPT TO': '550 5.7.1 Greylisted, please try again in a few moments' },
    expected: { retry: true, says: /SMTP 550: .*Greylisted/ },
  },
  {
    name: 'a temporarily full mailbox is retried',
    source: rfc5321,
    script: { 'RCPT TO': '452 4.2.2 Over quota' },
    expected: { retry: true, says: /SMTP 452: 4\.2\.2 Over quota/ },
  },
  {
    name: 'an unknown user is not retried, and the reply is reported on one line',
    source: rfc5321,
    script: { 'RCPT TO': '550-5.1.1 The email account that you tried to reach\n550-5.1.1 does not exist.\n550 5.1.1 Check for typos' },
    expected: {
      retry: false,
      says: /refused the address \(SMTP 550: 5\.1\.1 The email account that you tried to reach 5\.1\.1 does not exist\. 5\.1\.1 Check for typos\)/,
    },
  },
  {
    name: 'a forwarded recipient is a success',
    source: 'RFC 5321, section 3.4: 251',
    script: { 'RCPT TO': '251 User not local; will forward' },
    expected: 'sent',
  },
  {
    name: 'a rejected sender is reported as such',
    source: rfc5321,
    script: { 'MAIL FROM': '553 5.7.1 Sender address rejected: not owned by user' },
    expected: { retry: false, says: /refused the platform's own address \(SMTP 553: .*not owned by user\)/ },
  },
  {
    name: 'a connection lost after MAIL FROM is retried',
    source: 'RFC 5321, section 4.1.1.5',
    script: { 'MAIL FROM': 'close' },
    expected: { retry: true, says: /it closed the connection/ },
  },
  {
    name: 'a server that shuts down at RCPT TO is retried',
    source: 'RFC 5321, section 3.8',
    script: { 'RCPT TO': '421 4.3.2 Service shutting down' },
    expected: { retry: true, says: /SMTP 421: 4\.3\.2 Service shutting down/ },
  },
  {
    name: 'temporarily refused DATA is retried',
    source: rfc5321,
    script: { DATA: '451 4.3.0 Error: queue file write error' },
    expected: { retry: true, says: /refused the message \(SMTP 451: 4\.3\.0 Error: queue file write error\)/ },
  },
  {
    name: '250 in reply to DATA counts as 354',
    source: 'eleith/emailjs#24',
    script: { DATA: '250 Ok, send it' },
    expected: 'sent',
  },
  {
    name: 'a message above the size limit is not retried',
    source: 'RFC 1870, section 6.3',
    script: { message: '552 5.3.4 Message size exceeds fixed limit' },
    expected: { retry: false, says: /refused the message \(SMTP 552: 5\.3\.4 Message size exceeds fixed limit\)/ },
  },
  {
    name: 'a message refused by policy is not retried, and the reply is reported',
    source: 'nodemailer/nodemailer#1632',
    script: { message: '554 5.7.9 Message not accepted for policy reasons' },
    expected: { retry: false, says: /SMTP 554: 5\.7\.9 Message not accepted for policy reasons/ },
  },
  {
    name: 'throttling with a permanent code is retried',
    source: 'Tencent Exmail, error 550 Mail frequency limited',
    script: { message: '550 Mail frequency limited' },
    expected: { retry: true, says: /SMTP 550: Mail frequency limited/ },
  },
  {
    name: 'a connection lost after the message is retried',
    source: 'RFC 1047',
    script: { message: 'close' },
    expected: { retry: true, says: /it closed the connection/ },
  },
  {
    name: 'a reply in another encoding, with control characters, is shown on one line',
    source: 'RFC 5321, section 4.1.2: replies should be ASCII',
    script: { 'RCPT TO': '550 Empf\u00e4nger\tunbekannt\u001b[31m' },
    expected: { retry: false, says: /SMTP 550: Empf.{1,2}nger unbekannt \[31m\)/ },
  },
];
