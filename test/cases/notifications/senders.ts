/** `PLATFORM_SMTP_FROM`, and the header and the envelope that come of it. */
export interface SenderCase {
  name: string;
  source: string;
  from: string;
  header: string;
  envelope?: string;
}

const rfc = 'RFC 5322, section 3.4';

export const senderCases: readonly SenderCase[] = [
  {
    name: 'a quoted name with a comma keeps one pair of quotation marks',
    source: 'chatwoot/chatwoot#15278, choyiny/saasmail#198',
    from: '"Acme, Inc." <a@example.org>',
    header: '"Acme, Inc." <a@example.org>',
  },
  {
    name: 'a name with a comma needs no quotation marks',
    source: 'TRC-Loop/Pelton#312',
    from: 'Acme, Inc. <a@example.org>',
    header: '"Acme, Inc." <a@example.org>',
  },
  { name: 'an address alone', source: rfc, from: 'a@example.org', header: 'a@example.org' },
  { name: 'an address in angle brackets', source: rfc, from: '<a@example.org>', header: 'a@example.org' },
  { name: 'a name of words', source: rfc, from: 'Acme Support <a@example.org>', header: 'Acme Support <a@example.org>' },
  { name: 'a quoted name of words', source: rfc, from: '"Acme Support" <a@example.org>', header: 'Acme Support <a@example.org>' },
  { name: 'no space before the address', source: 'bcosca/fatfree#1177', from: 'Acme<a@example.org>', header: 'Acme <a@example.org>' },
  { name: 'spaces around', source: rfc, from: '  "Acme"   <a@example.org>  ', header: 'Acme <a@example.org>' },
  {
    name: 'an escaped quotation mark in a quoted name',
    source: rfc,
    from: '"The \\"Acme\\" Company" <a@example.org>',
    header: '"The \\"Acme\\" Company" <a@example.org>',
  },
  {
    name: 'a name with an apostrophe stays whole',
    source: 'nodemailer/nodemailer#1632',
    from: '"Example\'s Thing" <a@example.org>',
    header: '"Example\'s Thing" <a@example.org>',
  },
  {
    name: 'a name with an @',
    source: 'bluetiger9/SmtpClient-for-Qt#98',
    from: '"a@example.org via Acme" <b@example.org>',
    header: '"a@example.org via Acme" <b@example.org>',
    envelope: 'b@example.org',
  },
  {
    name: 'a name with parentheses is no comment',
    source: 'TRC-Loop/Pelton#312',
    from: 'Support (Billing) <a@example.org>',
    header: '"Support (Billing)" <a@example.org>',
  },
  {
    name: 'a quoted name with angle brackets',
    source: rfc,
    from: '"Acme <Support>" <a@example.org>',
    header: '"Acme <Support>" <a@example.org>',
  },
  {
    name: 'a name in other letters is encoded',
    source: 'RFC 2047',
    from: 'Café Zoë <a@example.org>',
    header: '=?UTF-8?Q?Caf=C3=A9_Zo=C3=AB?= <a@example.org>',
  },
  {
    name: 'a quoted name in other letters loses its quotation marks',
    source: 'RFC 2047, section 5',
    from: '"株式会社" <a@example.org>',
    header: '=?UTF-8?B?5qCq5byP5Lya56S+?= <a@example.org>',
  },
  {
    name: 'a domain in other letters is written in ASCII',
    source: 'RFC 5891',
    from: 'Bücher <post@bücher.example>',
    header: '=?UTF-8?Q?B=C3=BCcher?= <post@xn--bcher-kva.example>',
    // The server shows it as people write it.
    envelope: 'post@bücher.example',
  },
];

/** Settings that name no sender, or several. */
export const refusedSenders: readonly string[] = [
  'Acme',
  'A <a@example.org>, B <b@example.org>',
  'a@example.org,b@example.org',
  'Acme <a@example.org',
  'Acme <a b@example.org>',
  'Acme\r\nBcc: eve@evil.example <a@example.org>',
  '<>',
];
