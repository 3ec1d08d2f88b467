import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { fail } from '../../../../kernel/contract/failure.js';
import { receiveUpload } from '../../../../kernel/platform/http/upload.js';
import { becomes } from '../../../helpers/eventually.js';
import { temporaryFolder } from '../../../helpers/platform.js';
import { echo, hello, json, member } from './deeds.js';
import { open } from './raw.js';
import { type Deed, startWorld, type World } from './world.js';

async function world(t: Test, more: Record<string, Deed> = {}): Promise<World> {
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], { ...hello, ...more });
  return made;
}

const multipart = (parts: string): { body: string; headers: Record<string, string> } => ({
  body: `${parts}--b--\r\n`,
  headers: { ...member, 'content-type': 'multipart/form-data; boundary=b' },
});
const filePart = (name: string, text: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.zip"\r\n\r\n${text}\r\n`;
const fieldPart = (name: string, text: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

t.test('an upload has its fields and one file, which is removed after the answer', async (t) => {
  let folder = '';
  const { url, http } = await world(t, {
    'hello.upload': {
      ...echo,
      path: '/api/hello/upload',
      kind: 'upload',
      max_bytes: 10_000,
      query: [],
      input: (j) =>
        j.object({ type: j.string().required(), file: j.object({ filename: j.string(), path: j.string(), bytes: j.number() }) }),
      does: async ({ type, file }: { type: string; file: { filename: string; path: string; bytes: number } }) => {
        folder = dirname(file.path);
        return { type, filename: file.filename, bytes: file.bytes, text: await readFile(file.path, 'utf8') };
      },
    },
  });
  const upload = async ({ body, headers }: { body: string | Uint8Array<ArrayBuffer>; headers: Record<string, string> }) => {
    const answer = await fetch(`${url}/api/hello/upload`, { method: 'POST', body, headers });
    return { status: answer.status, body: (await answer.json()) as object };
  };
  t.same(await upload(multipart(fieldPart('type', 'skill') + filePart('bundle', 'PK..'))), {
    status: 200,
    body: { type: 'skill', filename: 'bundle.zip', bytes: 4, text: 'PK..' },
  });
  t.match(
    await upload(multipart(fieldPart('type', 'skill'))),
    { status: 400, body: { code: 'malformed_request' } },
    'a body without a file is rejected',
  );
  t.match(
    await upload(multipart(filePart('a', '1') + filePart('b', '2'))),
    { status: 400, body: { code: 'malformed_request' } },
    'a body with two files is rejected',
  );
  t.match(
    await upload(multipart(filePart('a', '1') + filePart('a', '2'))),
    { status: 400, body: { code: 'malformed_request' } },
    'two files of one name are rejected',
  );
  t.match(await upload(multipart(filePart('a', '1'))), { status: 400, body: { code: 'invalid_input' } }, 'a missing field is rejected');
  t.match(await upload(multipart(filePart('a', 'x'.repeat(20_000)))), { status: 413, body: { code: 'payload_too_large' } });
  t.match(await upload({ body: 'nonsense', headers: { ...member, 'content-type': 'multipart/form-data; boundary=b' } }), {
    status: 400,
    body: { code: 'malformed_request' },
  });
  t.match(
    await upload(multipart(fieldPart('a', 'x') + filePart('a', '1'))),
    { status: 400, body: { code: 'malformed_request' } },
    'a field and a file of one name are rejected',
  );
  const packed = (text: string) => {
    const { body, headers } = multipart(fieldPart('type', 'skill') + filePart('bundle', text));
    return { body: new Uint8Array(gzipSync(body)), headers: { ...headers, 'content-encoding': 'gzip' } };
  };
  t.match(await upload(packed('PK..')), { status: 200, body: { bytes: 4, text: 'PK..' } }, 'compressed');
  t.match(
    await upload(packed('x'.repeat(20_000))),
    { status: 413, body: { code: 'payload_too_large' } },
    'a file that is large after decompression is rejected',
  );
  t.match(
    await upload({ ...packed('PK..'), body: 'nonsense' }),
    { status: 400, body: { code: 'malformed_request', message: /compression is damaged or of another type/ } },
    'a file that is not compressed as declared is rejected',
  );
  for (const encoding of ['br', 'GZIP, br'])
    t.match(
      await upload({ ...packed('PK..'), headers: { ...packed('').headers, 'content-encoding': encoding } }),
      { status: 415, body: { code: 'unsupported_media_type', message: /gzip or deflate/ } },
      encoding,
    );
  t.match(await upload({ body: '{}', headers: { ...member, ...json } }), { status: 415, body: { code: 'unsupported_media_type' } });
  t.match(await upload({ ...multipart(filePart('a', '1')), headers: { 'content-type': 'multipart/form-data; boundary=b' } }), {
    status: 401,
  });
  const { port } = new URL(url);
  const socket = open({ port: Number(port) });
  socket.write(`POST /api/hello/upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\nContent-Length: 9000\r\n`);
  socket.write(`Content-Type: multipart/form-data; boundary=b\r\n\r\n${filePart('a', 'x'.repeat(5_000)).slice(0, -2)}`);
  await becomes(t, async () => (await readdir(folder)).length, 1);
  socket.destroy();
  await becomes(t, async () => (await readdir(folder)).length, 0);
  await http.close(1_000);
  await t.rejects(readdir(folder), 'the folder is gone too');
});

t.test('the whole body may be the file if the operation declares it; a multipart field is never a file', async (t) => {
  const given: string[] = [];
  const { url } = await world(t, {
    'hello.raw': {
      ...echo,
      method: 'PUT',
      path: '/api/hello/raw/{id}',
      kind: 'upload',
      raw: 'application/x-tar',
      max_bytes: 10_000,
      query: ['path'],
      input: (j) =>
        j.object({
          id: j.number().required(),
          path: j.string().required(),
          bytes: j.any(),
          file: j.object({ filename: j.string().allow(''), path: j.string(), bytes: j.number() }).required(),
        }),
      does: async ({ id, path, file }: { id: number; path: string; file: { filename: string; path: string; bytes: number } }) => {
        given.push(file.path);
        return { id, path, filename: file.filename, bytes: file.bytes, text: await readFile(file.path, 'utf8') };
      },
    },
  });
  const put = async (body: string, type: string | undefined) => {
    const headers = { ...member, ...(type === undefined ? {} : { 'content-type': type }) };
    const answer = await fetch(`${url}/api/hello/raw/7?path=/work`, { method: 'PUT', body: Buffer.from(body), headers });
    return { status: answer.status, body: (await answer.json()) as object };
  };
  const text = 'ustar\0'.repeat(10);
  t.same(await put(text, 'application/x-tar'), { status: 200, body: { id: 7, path: '/work', filename: '', bytes: 60, text } });
  t.same(await put('', 'application/x-tar'), { status: 200, body: { id: 7, path: '/work', filename: '', bytes: 0, text: '' } });
  const { body, headers } = multipart(filePart('any', 'by a form'));
  t.match(await put(body, headers['content-type']), { status: 200, body: { filename: 'any.zip', text: 'by a form' } });
  const disguised = multipart(fieldPart('path', '/etc/passwd') + fieldPart('bytes', '5'));
  t.match(await put(disguised.body, disguised.headers['content-type']), { status: 400, body: { code: 'malformed_request' } });
  t.match(await put('x'.repeat(20_000), 'application/x-tar'), { status: 413, body: { code: 'payload_too_large' } });
  t.match(await put('x', 'application/zip'), {
    status: 415,
    body: { message: 'The body must be multipart/form-data or application/x-tar' },
  });
  t.match(await put('x', undefined), { status: 415 });
  t.equal(given.length, 3);
  for (const path of given) await t.rejects(readFile(path), 'the file is removed after the answer');
});

t.test('a body is read no faster than its file is written', async (t) => {
  const folder = await temporaryFolder(t);
  const onDisk = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  const piece = Buffer.alloc(64 * 1024, 'x');
  const body_bytes = 64 * 2 ** 20;
  let [sent, max] = [0, 0];
  const body = new Readable({
    read() {
      max = Math.max(max, sent - onDisk());
      sent += piece.length;
      this.push(sent > body_bytes ? null : piece);
    },
  });
  const req = Object.assign(body, { headers: { 'content-type': 'application/x-tar' } }) as unknown as IncomingMessage;
  const upload = await receiveUpload(req, { raw: 'application/x-tar', max_bytes: body_bytes, folder, body: { keep: () => undefined } });
  const { file } = upload.input as { file: { path: string; bytes: number } };
  t.equal(file.bytes, body_bytes);
  t.equal((await stat(file.path)).size, body_bytes);
  // Waiting bytes, bytes being written, and bytes that the stream reads ahead.
  t.ok(max <= 2 ** 20, `at most ${max} bytes were ahead of the disk`);
  await upload.remove();
  t.same(await readdir(folder), []);
});

t.test('files from unauthorised callers are not received', async (t) => {
  const { port } = await world(t, {
    'hello.upload': {
      summary: 'Takes a file',
      method: 'POST',
      path: '/api/hello/upload',
      who: 'admin',
      kind: 'upload',
      max_bytes: 10_000,
      // As the kernel does, whatever the input is.
      does: ({ file }: { file?: object }) => {
        t.equal(file, undefined);
        throw fail('forbidden', 'Only administrators may do this');
      },
    },
  });
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  const { authorization } = member;
  socket.write(`POST /api/hello/upload HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`);
  socket.write('Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000\r\n\r\n--b\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  t.match(answer.toString(), /^HTTP\/1\.1 403 .*"code":"forbidden"/s);
});
