import { createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { greetingName, readSmtp, type SmtpSettings } from '../../../../extensions/notifications/channels/smtp.js';
import { until } from '../../../helpers/eventually.js';
import { type MailOptions, type MailServer, smtpError, startMailServer } from '../../../helpers/vendors/mail.js';
import { note, openChannels, type World } from './world.js';

const to = { address: 'ada@people.example' };
const password = 'hunter2-password';
const login = { user: 'platform', password };

function smtpOf({ port }: { port: number }, change: Partial<SmtpSettings> = {}): SmtpSettings {
  const from = 'Platform <platform@work.example>';
  return { host: '127.0.0.1', port, secure: 'none', user: '', password: '', from, ...change };
}

async function withServer(t: Test, options: MailOptions = {}, change: Partial<SmtpSettings> = {}): Promise<World & { server: MailServer }> {
  const server = await startMailServer(t, options);
  return { server, ...openChannels(t, { smtp: smtpOf(server, change), timeout_ms: 1_000 }) };
}

/** Until the test ends this process trusts the test's certificate, as it would one in NODE_EXTRA_CA_CERTS. */
function trustAll(t: Test): void {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  });
}

/** A mail's headers, unfolded, by their names in lower case. */
function headersOf(text = ''): Record<string, string> {
  const [head = ''] = text.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
}

t.test('a note arrives as plain-text mail that is identical in each attempt', async (t) => {
  const { server, send } = await withServer(t);
  await send('email', to);
  await send('email', to);
  const [mail, again] = server.mails;
  t.match(mail, { from: 'platform@work.example', to: [to.address], secure: false, user: undefined });
  const headers = headersOf(mail?.text);
  t.match(headers, {
    from: 'Platform <platform@work.example>',
    to: to.address,
    subject: note.title,
    'message-id': `<notification-12.${Date.parse(note.created_at)}@work.example>`,
    'auto-submitted': 'auto-generated',
    'content-type': 'text/plain; charset=utf-8',
  });
  t.ok(Math.abs(Date.parse(headers.date ?? '') - Date.now()) < 60_000);
  t.match(mail?.text, `\r\n\r\n${note.summary.replace('\n', '\r\n')}\r\n\r\n${note.url}\r\n`);
  t.equal(headersOf(again?.text)['message-id'], headers['message-id']);
  await until(server.open, (open) => open === 0);
  t.pass('each connection is closed');
});

t.test('non-ASCII letters, long lines and dots arrive', async (t) => {
  const { server, send } = await withServer(t);
  const summary = `${'日本語 👩‍👩‍👧‍👦 '.repeat(300)}\n.\n..x\nEnd`;
  await send('email', to, { title: 'Ünïcode 日本語', summary, url: null });
  const text = server.mails[0]?.text ?? '';
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const base64 = /content-transfer-encoding: base64/i.test(head);
  const body = base64 ? Buffer.from(rest.join(''), 'base64').toString() : quoted(rest.join('\r\n\r\n'));
  t.equal(body.replaceAll('\r\n', '\n').trimEnd(), summary);
  t.ok(
    text.split('\r\n').every((line) => line.length <= 998),
    'RFC 5322: no line of more than 998 characters',
  );
  t.match(head, /^Subject: =\?UTF-8\?/im);
});

function quoted(text: string): string {
  const joined = text.replaceAll(/=\r\n/g, '');
  return Buffer.from(
    joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
}

t.test('note and address cannot inject headers, commands or recipients', async (t) => {
  const { server, send, refused } = await withServer(t);
  const attack = 'Hello\r\nBcc: eve@evil.example\r\n\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n';
  await send('email', to, { title: attack, summary: attack, created_at: '2026-03-04T05:06:07Z\r\nBcc: eve@evil.example' });
  t.same(
    server.mails.map((mail) => mail.to),
    [[to.address]],
  );
  t.same(
    server.mails.map((mail) => mail.from),
    ['platform@work.example'],
  );
  t.notOk('bcc' in headersOf(server.mails[0]?.text));
  const addresses = [
    'a@b.example\r\nBcc: eve@evil.example',
    'a@b.example, eve@evil.example',
    'a@b.example;eve@evil.example',
    'Eve <eve@evil.example>',
    '<a@b.example>',
    '"a b"@b.example',
    'a@b.example>\r\nDATA',
    'a@b.example ',
    'a@b@c.example',
    'a@[127.0.0.1]',
    '@b.example',
    'a@',
    'a@-b.example',
    `${'a'.repeat(65)}@b.example`,
    `a@${'b.'.repeat(127)}example`,
  ];
  for (const address of addresses) {
    t.match(
      await refused('email', { address }),
      { retry: false, message: /'Address' of E-mail is wrong: it is not an e-mail address/ },
      address,
    );
  }
  t.equal(server.mails.length, 1);
  for (const address of ["o'hara+x@b.example", 'a.b@sub.b.example', 'a@localhost']) {
    await send('email', { address });
    t.same(server.mails.at(-1)?.to, [address]);
  }
  await send('email', { address: 'a@bücher.example' });
  t.equal(headersOf(server.mails.at(-1)?.text).to, 'a@xn--bcher-kva.example');
});

t.test("the sender's name may contain separators of address lists", async (t) => {
  const { server, send } = await withServer(t, {}, { from: 'Work, Inc; "Platform" <platform@work.example>' });
  await send('email', to);
  t.match(server.mails, [{ from: 'platform@work.example', to: [to.address] }]);
  t.equal(headersOf(server.mails[0]?.text).from, '"Work, Inc; \\"Platform\\"" <platform@work.example>');
});

t.test('without a mail server each mail fails with the settings to make', async (t) => {
  const { refused } = openChannels(t);
  t.match(await refused('email', to), { retry: false, message: /PLATFORM_SMTP_HOST/ });
  t.match(await refused('email', {}), { retry: false, message: "E-mail requires 'Address', which is not set" });
});

t.test('temporary rejections by the mail server are retried, permanent ones are not', async (t) => {
  const answers: Record<string, number> = { 'gone@b.example': 550, 'full@b.example': 452, 'grey@b.example': 451 };
  const { server, refused } = await withServer(t, {
    recipient: (address) => (answers[address] ? smtpError(answers[address], 'No such user hunter2') : undefined),
    message: () => smtpError(554, 'Looks like spam hunter2'),
  });
  const outcomes = {
    'gone@b.example': { retry: false, message: 'The mail server refused the address (SMTP 550: No such user hunter2)' },
    'full@b.example': { retry: true, message: 'The mail server refused the address (SMTP 452: No such user hunter2)' },
    'grey@b.example': { retry: true, message: 'The mail server refused the address (SMTP 451: No such user hunter2)' },
    'spam@b.example': { retry: false, message: 'The mail server refused the message (SMTP 554: Looks like spam hunter2)' },
  };
  for (const [address, outcome] of Object.entries(outcomes)) t.match(await refused('email', { address }), outcome, address);
  t.same(server.mails, []);
});

t.test('the channel logs in with the configured name and password', async (t) => {
  const server = await startMailServer(t, { login });
  const open = (change: Partial<SmtpSettings>) => openChannels(t, { smtp: smtpOf(server, change), timeout_ms: 1_000 });
  await open(login).send('email', to);
  t.equal(server.mails[0]?.user, 'platform');
  const wrong = await open({ ...login, password: 'hunter2-wrong' }).refused('email', to);
  t.match(wrong, {
    retry: false,
    message: /rejected the login \(SMTP 535: 5\.7\.8 Authentication of platform with … failed\)/,
  });
  t.notMatch(wrong.message, /hunter2/, "the server's reply repeats the password, the reported sentence does not");
  t.match(await open({}).refused('email', to), { retry: false, message: /requires a user name.*PLATFORM_SMTP_USER/ });
  t.equal(server.mails.length, 1);
});

for (const secure of ['starttls', 'tls'] as const) {
  t.test(`${secure}: an untrusted certificate is rejected before a password is sent`, async (t) => {
    const { server, refused } = await withServer(t, { encryption: secure, login }, { secure, ...login });
    t.match(await refused('email', to), { retry: false, message: /certificate of the mail server is not trusted/ });
    t.same(server.mails, []);
  });

  t.test(`${secure}: mails and passwords are encrypted`, async (t) => {
    trustAll(t);
    const { server, send } = await withServer(t, { encryption: secure, login }, { secure, ...login });
    await send('email', to);
    t.match(server.mails, [{ secure: true, user: 'platform', to: [to.address] }]);
  });
}

t.test('a server without STARTTLS gets neither mail nor password', async (t) => {
  const { server, refused } = await withServer(t, { login }, { secure: 'starttls', ...login });
  t.match(await refused('email', to), { retry: false, message: /Could not establish an encrypted connection.*PLATFORM_SMTP_SECURE/ });
  t.same(server.mails, []);
});

t.test('a server that is slow, silent, disconnects or is unreachable is retried', async (t) => {
  const slow = await withServer(t, { greets_after_ms: 60_000 });
  const began = Date.now();
  t.match(await slow.refused('email', to), { retry: true, message: /did not answer in time/ });
  t.ok(Date.now() - began < 30_000);
  const sockets = new Set<Socket>();
  const rude = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    if (sockets.size > 1) socket.destroy();
    else socket.write('220 rude\r\n');
  }).listen(0, '127.0.0.1');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    rude.close();
  });
  await until(() => rude.listening, Boolean);
  const at = openChannels(t, { smtp: smtpOf(rude.address() as { port: number }), timeout_ms: 300 });
  t.match(await at.refused('email', to), { retry: true, message: /did not answer in time/ }, 'the server is silent after the greeting');
  t.match(await at.refused('email', to), { retry: true, message: /Could not reach the mail server, or it closed the connection/ });
  const nowhere = openChannels(t, { smtp: smtpOf({ port: 1 }), timeout_ms: 1_000 });
  t.match(await nowhere.refused('email', to), { retry: true, message: /Could not reach the mail server/ });
  const unknown = openChannels(t, { smtp: smtpOf({ port: 25 }, { host: 'no-such-host.invalid' }), timeout_ms: 1_000 });
  t.match(await unknown.refused('email', to), { retry: true });
});

t.test('limits a delivery to a mail server that answers slowly', async (t) => {
  const sockets = new Set<Socket>();
  const chatty = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.write('220 chatty\r\n');
    const timer = setInterval(() => socket.write('250-still here\r\n'), 50);
    socket.on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    chatty.close();
  });
  await until(() => chatty.listening, Boolean);
  const { refused } = openChannels(t, { smtp: smtpOf(chatty.address() as { port: number }), timeout_ms: 300 });
  const began = Date.now();
  t.match(await refused('email', to), { retry: true, message: /did not answer in time/ });
  t.ok(Date.now() - began < 30_000);
  await until(() => [...sockets].every((socket) => socket.destroyed), Boolean);
  t.pass('the connection is closed');
});

t.test('an aborted delivery ends at once and closes its connection', async (t) => {
  const server = await startMailServer(t, { greets_after_ms: 60_000 });
  const { refused } = openChannels(t, { smtp: smtpOf(server) });
  const stop = new AbortController();
  const ended = refused('email', to, {}, stop.signal);
  await until(server.open, (open) => open === 1);
  const began = Date.now();
  stop.abort();
  t.match(await ended, { retry: true, message: /was cancelled/ });
  t.ok(Date.now() - began < 9_000, 'the delivery ends long before its time-out');
  await until(server.open, (open) => open === 0);
  t.same(server.mails, []);
});

t.test('the settings come from the configuration, and the sender has a default', async (t) => {
  t.equal(greetingName('host.example', 'a@work.example'), 'host.example');
  t.equal(greetingName('host', 'W <a@bücher.example>'), 'xn--bcher-kva.example');
  for (const from of ['a@localhost', 'a@10.0.0.1']) t.equal(greetingName('host', from), undefined, from);
  const smtp = { host: 'mail.example', port: 587, secure: 'starttls', user: '', password: '', from: '' };
  t.equal(readSmtp({}), undefined);
  t.equal(readSmtp({ smtp: { ...smtp, host: '' } }), undefined);
  t.strictSame(readSmtp({ smtp }), { ...smtp, from: 'platform@mail.example' });
  t.match(readSmtp({ smtp: { ...smtp, user: 'ada@work.example' } }), { from: 'ada@work.example' });
  t.match(readSmtp({ smtp: { ...smtp, user: 'ada@work.example', from: 'W <w@work.example>' } }), { from: 'W <w@work.example>' });
});
