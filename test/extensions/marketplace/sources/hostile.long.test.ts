import { readdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { receiveBundle } from '../../../../extensions/marketplace/sources/receive-bundle.js';
import type { Source } from '../../../../extensions/marketplace/sources/source.js';
import { temporaryFolder } from '../../../helpers/platform.js';
import { codeOf, sha256 } from '../../../kernel/platform/bundles/world.js';
import { bundleOf, extensions, indexOf, opened, serve, soon } from './world.js';

const { zip, item } = bundleOf();
const listed = { ...item, file: 'one.zip' };
const tooMuch = 50 * 1024 * 1024;

type Answer = RequestListener;

/** Writes until nobody listens any more. */
const endless: Answer = (_, response) => {
  const write = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
  };
  response.on('drain', write);
  write();
};
/** A byte now and then, for as long as somebody waits. */
const dripping: Answer = (_, response) => {
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer));
};
const text =
  (body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(code, headers).end();

const indexes: Record<string, readonly [code: string, answer: Answer]> = {
  'is a page': ['source_invalid', text('<html>')],
  'is null': ['source_invalid', text('null')],
  'is no UTF-8': ['source_invalid', text(Buffer.from([0x7b, 0xff]))],
  'is of another kind': ['source_invalid', text('{"platform_index":2,"items":[]}')],
  'is nested so deep that a stack ends': ['source_invalid', text(`{"platform_index":1,"items":${'['.repeat(200_000)}`)],
  'lists too many': ['source_invalid', text(indexOf(...Array<object>(20_001).fill({})))],
  'lists a version twice': ['source_invalid', text(indexOf(listed, listed))],
  'has no end': ['source_too_large', endless],
  'says that it is too large': ['source_too_large', status(200, { 'content-length': '99999999999' })],
  'swells when it is unpacked': [
    'source_too_large',
    text(gzipSync(indexOf(listed, { filler: 'x'.repeat(11 * 1024 * 1024) })), { 'content-encoding': 'gzip' }),
  ],
  'never comes': ['source_unavailable', () => {}],
  'comes drop by drop': ['source_unavailable', dripping],
  'breaks off': ['source_unavailable', (_, response) => void response.write('{', () => response.destroy())],
  'is not there': ['source_invalid', status(404)],
  'is not for us': ['source_unavailable', status(403)],
  'was never asked for by what is known': ['source_invalid', status(304)],
  'is elsewhere for ever': ['source_invalid', status(302, { location: '/index.json' })],
  'is with the metadata service': ['source_invalid', status(302, { location: 'http://169.254.169.254/latest' })],
  'is behind another port of this machine': ['source_invalid', status(307, { location: 'http://127.0.0.1:1/index.json' })],
  'is in a file': ['source_invalid', status(301, { location: 'file:///etc/passwd' })],
  'is nowhere': ['source_invalid', status(301, { location: 'http://[' })],
};

const faults: Record<string, unknown> = {
  'no object': 7,
  'no id': { ...listed, id: undefined },
  'an id that is a path': { ...listed, id: '../../etc' },
  'an id of the marketplace itself': { ...listed, id: 'a' },
  'a version that is none': { ...listed, version: '1.0' },
  'a version of two lines': { ...listed, version: '1.0.0\n' },
  'a type that is none': { ...listed, type: 'theme' },
  'a hash of another kind': { ...listed, content_hash: `md5:${'0'.repeat(32)}` },
  'a hash in upper case': { ...listed, content_hash: listed.content_hash.toUpperCase() },
  'a name that moves the cursor': { ...listed, name: 'Hello\u001B[2J' },
  'an author that turns the writing': { ...listed, author: 'Acme\u202E' },
  'a name that a model alone can read': { ...listed, name: 'Hello\u{E0041}' },
  'a version with a letter before': { ...listed, version: 'v1.0.0' },
  'an empty author': { ...listed, author: '' },
  'an empty range': { ...listed, engines: { platform: '' } },
  'an empty signature': { ...listed, signature: { public_key: '', signature: '' } },
  'a time of no day': { ...listed, created_at: '2026-13-41T99:00:00Z' },
  'a description that rings': { ...listed, description: '\u0007' },
  'a tag of two lines': { ...listed, tags: ['one\ntwo'] },
  'a tag that is a number': { ...listed, tags: [1] },
  'a category with a slash': { ...listed, category: 'a/b' },
  'a name as long as a book': { ...listed, name: 'x'.repeat(100_000) },
  'a range that is none': { ...listed, engines: { platform: 'always' } },
  'permissions that are a text': { ...listed, permissions: 'all' },
  'a permission that is an object': { ...listed, permissions: { operations: [{}] } },
  'a host with an escape': { ...listed, permissions: { network: ['\u001B]0;x\u0007'] } },
  'a signature that is a text': { ...listed, signature: 'x' },
  'a time that is none': { ...listed, created_at: 'yesterday' },
  'a readme that is a list': { ...listed, readme: [] },
  'a file above': { ...listed, file: '../one.zip' },
  'a file elsewhere': { ...listed, file: 'https://b.example/one.zip' },
  'a file that is absolute': { ...listed, file: '/one.zip' },
  'a file with a query': { ...listed, file: 'one.zip?x=1' },
  'a file that is the folder above': { ...listed, file: '..' },
  'no file': { ...listed, file: undefined },
};

/** The path of a new file, and what lies beside it at the end. */
async function target(t: Test): Promise<{ file: string; left: () => Promise<string[]> }> {
  const folder = await temporaryFolder(t);
  return { file: join(folder, 'arrived.zip'), left: () => readdir(folder) };
}

const hurry = () => AbortSignal.timeout(1_000);

t.test('a mirror with false announcements is rejected', async (t) => {
  for (const [name, [code, answer]] of Object.entries(indexes)) {
    const { url } = await serve(t, answer);
    const { source } = opened(t, `${url}/index.json`);
    const signal = hurry();
    const found = await codeOf(source.search({}, signal));
    // The caller has given up, but the load itself continues up to its own limit.
    t.equal(found.startsWith('no failure: TimeoutError') ? 'source_unavailable' : found, code, `its index ${name}`);
  }
  for (const [name, fault] of Object.entries(faults)) {
    const { url } = await serve(t, text(indexOf(listed, fault as object)));
    await t.rejects(
      opened(t, `${url}/index.json`).source.search({}, soon()),
      { code: 'source_invalid', message: /^Item 1 in the index of http:\/\/127\.0\.0\.1:\d+\/index\.json (is|has) / },
      `an item with ${name}`,
    );
  }
});

type Lie = readonly [code: string, answer: Answer, change?: object];

const bundles: Record<string, Lie> = {
  'is another one': ['source_hash_mismatch', text(bundleOf({ version: '9.9.9' }).zip)],
  'is cut off': ['source_hash_mismatch', text(zip.subarray(0, -1))],
  'is empty': ['source_hash_mismatch', text('')],
  'has no end': ['source_too_large', endless],
  'says that it is too large': ['source_too_large', status(200, { 'content-length': String(tooMuch + 1) })],
  'swells when it is unpacked': ['source_too_large', text(gzipSync(Buffer.alloc(tooMuch + 1)), { 'content-encoding': 'gzip' })],
  'comes drop by drop': ['source_unavailable', dripping],
  'breaks off': ['source_unavailable', (_, response) => void response.write('PK', () => response.destroy())],
  'is gone': ['source_invalid', status(404)],
  'is with another host': ['source_invalid', status(302, { location: 'http://10.0.0.1/one.zip' })],
  'is no ZIP': ['bundle_not_zip', text('hello'), { content_hash: sha256(Buffer.from('hello')) }],
  'is of another id': ['source_mismatch', text(zip), { id: 'acme.other' }],
  'is of another version': ['source_mismatch', text(zip), { version: '1.2.4' }],
  'is of another type': ['source_mismatch', text(zip), { type: 'skill' }],
  'has a signature of somebody else': ['source_mismatch', text(zip), { signature: { public_key: 'x', signature: 'y' } }],
};

async function received(source: Source, file: string, signal: AbortSignal): Promise<string> {
  const [found] = await source.search({}, soon());
  if (found === undefined) return 'nothing found';
  return codeOf(receiveBundle(source, found, { file, extensions, signal }));
}

t.test('a bundle that differs from its announcement leaves nothing', async (t) => {
  const honest: Record<string, Lie> = { 'is what it says': ['none', text(zip)] };
  for (const [name, [code, answer, change]] of Object.entries({ ...bundles, ...honest })) {
    const { url } = await serve(t, (request, response) => {
      if (request.url === '/index.json') response.end(indexOf({ ...listed, ...change }));
      else answer(request, response);
    });
    const { file, left } = await target(t);
    t.equal(await received(opened(t, `${url}/index.json`).source, file, answer === dripping ? hurry() : soon()), code, name);
    t.strictSame(await left(), code === 'none' ? ['arrived.zip'] : [], name);
  }
});

t.test('a platform with false announcements is rejected too', async (t) => {
  const path = '/api/marketplace/';
  const page = (...items: object[]) => text(JSON.stringify({ items, total: items.length }));
  const searches: Record<string, readonly [string, Answer]> = {
    ...Object.fromEntries(Object.entries(indexes).filter(([name]) => !/lists|another kind|known|for ever/.test(name))),
    'has more than was asked for': ['source_invalid', page(...Array<object>(201).fill(item))],
    'has a wrong extension': ['source_invalid', page({ ...item, name: '\u001B[2J' })],
  };
  for (const [name, [code, answer]] of Object.entries(searches)) {
    const { url } = await serve(t, answer);
    const found = await codeOf(opened(t, url).source.search({}, hurry()));
    t.equal(found, code, `its answer ${name}`);
  }
  const details: Record<string, readonly [string, object]> = {
    'another id': ['source_invalid', { ...item, status: 'approved', id: 'acme.other' }],
    'another version': ['source_invalid', { ...item, status: 'approved', version: '1.2.4' }],
    'a wrong field': ['source_invalid', { ...item, status: 'approved', author: 7 }],
  };
  for (const [name, [code, detail]] of Object.entries(details)) {
    const { url } = await serve(t, text(JSON.stringify(detail)));
    t.equal(await codeOf(opened(t, url).source.find('acme.hello', '1.2.3', soon())), code, name);
  }
  const { url, asked } = await serve(t, text(JSON.stringify({ ...item, status: 'under_review' })));
  t.equal(await opened(t, `${url}/team/`).source.find('acme.hello', '1.2.3', soon()), undefined, 'unapproved versions are not offered');
  t.equal(asked[0]?.url, `/team${path}acme.hello/versions/1.2.3?upstream=false`);
  for (const [name, [code, answer, change]] of Object.entries(bundles)) {
    const { url } = await serve(t, (request, response) => {
      if (request.url?.startsWith(`${path}search`)) page({ ...item, ...change })(request, response);
      else answer(request, response);
    });
    const { file, left } = await target(t);
    t.equal(await received(opened(t, url).source, file, hurry()), code, name);
    t.strictSame(await left(), [], name);
  }
});

t.test("a source's token is sent only to the configured host", async (t) => {
  const other = await serve(t, text(indexOf(listed)));
  const { url } = await serve(t, status(302, { location: `${other.url}/index.json` }));
  await t.rejects(opened(t, `${url}/index.json`, 'plat_secret').source.search({}, soon()), { code: 'source_invalid' });
  t.strictSame(other.asked, []);
});
