import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { isFailure } from '../../../../kernel/contract/failure.js';
import { receiveUpload } from '../../../../kernel/platform/http/upload.js';
import { temporaryFolder } from '../../../helpers/platform.js';

interface Received {
  fields: Record<string, unknown>;
  filename: string;
  text: string;
}

const max_bytes = 100_000;
/** Counts nothing. */
const uncounted = { keep: () => undefined };

function asRequest(body: Readable, boundary = 'b'): IncomingMessage {
  return Object.assign(body, { headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }) as unknown as IncomingMessage;
}

/** Sends a body cut into pieces of these sizes, the last has the rest; what is left in the folder afterwards is a fault. */
async function receive(folder: string, body: Buffer, cuts: readonly number[]): Promise<Received> {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const cut of cuts) {
    pieces.push(body.subarray(at, at + cut));
    at += cut;
  }
  pieces.push(body.subarray(at));
  const req = asRequest(Readable.from(pieces.filter(({ length }) => length > 0)));
  const upload = await receiveUpload(req, { raw: undefined, max_bytes, folder, body: uncounted });
  const { file, ...fields } = upload.input as { file: { filename: string; path: string; bytes: number } };
  const text = await readFile(file.path, 'latin1');
  if (text.length !== file.bytes) throw new Error(`${file.bytes} bytes are told of ${text.length}`);
  await upload.remove();
  return { fields, filename: file.filename, text };
}

async function fails(t: Test, folder: string, body: string, cuts: readonly number[]): Promise<void> {
  await t.rejects(receive(folder, Buffer.from(body), cuts), { code: 'malformed_request' });
  t.same(await readdir(folder), [], 'no file is left');
}

const field = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, text: string, more = 'filename="a.zip"') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; ${more}\r\n\r\n${text}\r\n`;

t.test('fields and file are the same at any chunk boundary', async (t) => {
  const folder = await temporaryFolder(t);
  // Much that looks like the beginning of a boundary.
  const piece = fc.oneof(fc.constantFrom('\r', '\n', '\r\n', '--', '\r\n--', '\r\n-', '\r\n--a', 'b', 'x', '\0'), fc.string());
  const text = fc
    .array(piece, { maxLength: 30 })
    .map((all) => all.join('').replace(/[^\0-\x7f]/g, '?'))
    .filter((body) => !`\r\n${body}`.includes('\r\n--b'));
  const names = fc.uniqueArray(fc.constantFrom('a', 'b b', 'c;d=e'), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(names, text, text, fc.array(fc.nat(40), { maxLength: 60 }), async (fields, value, bytes, cuts) => {
      const body = `${fields.map((name) => field(name, value)).join('')}${file('file', bytes)}--b--\r\n`;
      t.same(await receive(folder, Buffer.from(body), cuts), {
        fields: Object.fromEntries(fields.map((name) => [name, value])),
        filename: 'a.zip',
        text: bytes,
      });
    }),
    { numRuns: 200 },
  );
  t.same(await readdir(folder), []);
});

const good: Readonly<Record<string, [body: string, Received]>> = {
  'what stands before the first boundary, and after the last': [
    `hello\r\n${file('f', '1')}--b--\r\nbye`,
    { fields: {}, filename: 'a.zip', text: '1' },
  ],
  'a field of 64 KiB': [
    `${field('a', 'x'.repeat(65_536))}${file('f', '')}--b--`,
    { fields: { a: 'x'.repeat(65_536) }, filename: 'a.zip', text: '' },
  ],
  'an empty file': [`${file('f', '')}--b--`, { fields: {}, filename: 'a.zip', text: '' }],
  'a field that comes twice': [
    `${field('a', '1')}${field('a', '2')}${file('f', '')}--b--`,
    { fields: { a: ['1', '2'] }, filename: 'a.zip', text: '' },
  ],
  'a head in small letters': [
    '--b\r\ncontent-type: text/plain\r\ncontent-disposition: form-data; name=f; filename=x.txt\r\n\r\n1\r\n--b--',
    { fields: {}, filename: 'x.txt', text: '1' },
  ],
  'a path in the name of a file, as it is': [
    `${file('f', '1', 'filename="C:/a/b.zip"')}--b--`,
    { fields: {}, filename: 'C:/a/b.zip', text: '1' },
  ],
  'a name of a file with the three characters that browsers encode': [
    `${file('f', '1', 'filename="a%22b%0D%0Ac%0a%25%20d.txt"')}--b--`,
    { fields: {}, filename: 'a"b\r\nc%0a%25%20d.txt', text: '1' },
  ],
  'an extended name of a file': [`${file('f', '1', "filename*=UTF-8''%e2%82%ac.txt")}--b--`, { fields: {}, filename: '€.txt', text: '1' }],
  'bytes that say what they are, and are no file without its name': [
    `--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: application/octet-stream\r\n\r\n1\r\n${file('f', '2')}--b--`,
    { fields: { a: '1' }, filename: 'a.zip', text: '2' },
  ],
};

t.test('valid bodies are accepted', async (t) => {
  const folder = await temporaryFolder(t);
  for (const [what, [body, received]] of Object.entries(good)) {
    for (const cuts of [[], new Array<number>(body.length).fill(1)]) t.same(await receive(folder, Buffer.from(body), cuts), received, what);
  }
});

const broken: Readonly<Record<string, string>> = {
  nothing: '',
  'no boundary': 'nonsense',
  'no end': file('f', '1'),
  'an end that is cut off': `${file('f', '1')}--b-`,
  'no file': `${field('a', '1')}--b--`,
  'two files': `${file('f', '1')}${file('g', '1')}--b--`,
  'two files of one name': `${file('f', '1')}${file('f', '1')}--b--`,
  'a field and a file of one name': `${field('f', '1')}${file('f', '1')}--b--`,
  'a head of nothing': '--b\r\n\r\n\r\n1\r\n--b--',
  'a field without a name': `--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n${file('f', '1')}--b--`,
  'the name of a prototype': `${field('__proto__', '1')}${file('f', '1')}--b--`,
  'a file with the name of a prototype': `${file('__proto__', '1')}--b--`,
  'a file that is encoded':
    '--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ==\r\n--b--',
  'a name of a file that is longer than any': `${file('f', '1', `filename="${'x'.repeat(256)}"`)}--b--`,
  'too many parts': `${field('a', '1').repeat(50)}${file('f', '1')}--b--`,
  'a head that does not end': `--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\nx: ${'x'.repeat(20_000)}`,
};

for (const [what, body] of Object.entries(broken)) {
  t.test(`a body with ${what} is malformed at any chunk boundary and leaves nothing`, async (t) => {
    const folder = await temporaryFolder(t);
    await fails(t, folder, body, []);
    await fails(t, folder, body, new Array<number>(Math.min(body.length, 300)).fill(1));
  });
}

t.test('a field of more than 64 KiB is rejected by name', async (t) => {
  const folder = await temporaryFolder(t);
  const body = Buffer.from(`${field('a', 'x'.repeat(65_537))}${file('f', '1')}--b--`);
  await t.rejects(receive(folder, body, []), { code: 'invalid_input', details: [{ path: 'a', message: /more than 65536 bytes/ }] });
  t.same(await readdir(folder), []);
});

t.test('malformed bodies never hang, never fail with other errors and leave no files', async (t) => {
  const folder = await temporaryFolder(t);
  const head = 'Content-Disposition: form-data; name="a"';
  const token = fc.constantFrom(
    '--b',
    '\r\n',
    '--',
    head,
    '; filename=x',
    ': ',
    ' ',
    '=',
    '"',
    ';',
    "filename*=UTF-8''%",
    'x',
    '\r',
    '\n',
    '--b--',
    '\r\n\r\n',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(token, { maxLength: 40 }), fc.array(fc.nat(10), { maxLength: 30 }), async (tokens, cuts) => {
      const outcome = receive(folder, Buffer.from(tokens.join('')), cuts).catch((fault: unknown) => {
        if (!isFailure(fault) || fault.code !== 'malformed_request') throw fault;
      });
      await outcome;
      t.same(await readdir(folder), [], tokens.join(''));
    }),
    { numRuns: 500, interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true },
  );
});

t.test('data after the end is read and ignored, however late it comes', { timeout: 20_000 }, async (t) => {
  const folder = await temporaryFolder(t);
  const whole = Buffer.from(`${file('f', 'text')}--b--\r\n${file('g', 'more')}--b--\r\nend`);
  const end = whole.indexOf('--b--') + 5;
  for (let cut = end - 4; cut <= whole.length; cut += 1)
    t.match(await receive(folder, whole, [cut, 1, 1]), { filename: 'a.zip', text: 'text' }, `cut at ${cut}`);
  for (const text of ['--b--\r\n--b--', '--b--\r\n\r\n', '--b--x'])
    for (let cut = 1; cut < text.length; cut += 1) await fails(t, folder, text, [cut, 8, 1]);
});

t.test('a client that disconnects within a file leaves no files', async (t) => {
  const folder = await temporaryFolder(t);
  const body = new PassThrough();
  const received = receiveUpload(asRequest(body), { raw: undefined, max_bytes, folder, body: uncounted });
  body.write(file('f', 'x'.repeat(50_000)));
  await new Promise((resolve) => setTimeout(resolve, 20));
  body.destroy();
  await t.rejects(received, { code: 'malformed_request' });
  t.same(await readdir(folder), []);
});

t.test('a write error is reported as such, however much data follows', async (t) => {
  const folder = join(await temporaryFolder(t), 'none');
  const body = Buffer.from(`${file('f', 'x'.repeat(90_000))}--b--`);
  await t.rejects(receive(folder, body, new Array<number>(90).fill(1_000)), { code: 'ENOENT' });
});

t.test('too large bodies are rejected at the limit, also within a field', async (t) => {
  const folder = await temporaryFolder(t);
  await t.rejects(receive(folder, Buffer.from(`${file('f', 'x'.repeat(max_bytes))}--b--`), [50_000]), { code: 'payload_too_large' });
  await t.rejects(receive(folder, Buffer.from(`${field('a', 'x'.repeat(max_bytes))}--b--`), [50_000]), { code: 'payload_too_large' });
  t.same(await readdir(folder), []);
});
