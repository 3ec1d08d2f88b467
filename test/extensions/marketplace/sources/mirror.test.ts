import { readFile, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../../helpers/platform.js';
import { ownCertificate, startSecureServer } from '../../../helpers/secure-server.js';
import { sha256 } from '../../../kernel/platform/bundles/world.js';
import { bundleOf, indexOf, opened, serve, serveFolder, soon } from './world.js';

t.test('a static server with an index can be searched, and its bundles can be downloaded', async (t) => {
  const folder = await temporaryFolder(t);
  const old = bundleOf({ version: '1.9.0' });
  const young = bundleOf({ version: '1.10.0', permissions: { storage: true } });
  const other = bundleOf({ id: 'acme.other', name: 'Other', description: 'Counts sheep.', category: 'rest', tags: ['sheep', 'night'] });
  await writeFile(join(folder, 'old.zip'), old.zip);
  await writeFile(join(folder, 'young one.zip'), young.zip);
  const index = indexOf(
    { ...old.item, file: 'old.zip' },
    { ...young.item, file: 'young one.zip', future: true },
    { ...other.item, file: 'other.zip' },
  );
  await writeFile(join(folder, 'index.json'), index);
  const { url } = await serveFolder(t, folder);
  const { source } = opened(t, `${url}/index.json`);
  t.equal(source.name, `${url}/index.json`);

  const names = async (query: object) => (await source.search(query, soon())).map(({ id, version }) => `${id} ${version}`);
  const [hello, sheep] = ['acme.hello 1.10.0', 'acme.other 1.2.3'];
  t.strictSame(await names({}), [hello, sheep], 'the newest version of each, by semver precedence');
  const queries: [object, string[]][] = [
    [{ query: 'GREETS acme' }, [hello]],
    [{ query: 'sheep greets' }, []],
    [{ query: '%' }, []],
    [{ type: 'skill' }, []],
    [{ type: 'plugin', category: 'rest' }, [sheep]],
    [{ tags: ['Sheep', 'night'] }, [sheep]],
    [{ tags: ['sheep', 'greeting'] }, []],
  ];
  for (const [query, found] of queries) t.strictSame(await names(query), found, JSON.stringify(query));

  const found = await source.find('acme.hello', undefined, soon());
  t.match(found, { version: '1.10.0', content_hash: sha256(young.zip), permissions: { storage: true }, engines: { platform: '>=0.1.0' } });
  t.notOk(found && 'future' in found, 'unknown fields are dropped');
  t.match(await source.find('acme.hello', '1.9.0', soon()), { version: '1.9.0' });
  t.equal(await source.find('acme.hello', '2.0.0', soon()), undefined);
  t.equal(await source.find('acme.nobody', undefined, soon()), undefined);

  const target = join(folder, 'arrived.zip');
  const told: number[][] = [];
  if (found) await source.download(found, target, { signal: soon(), onProgress: (bytes, total) => void told.push([bytes, total]) });
  t.same(told.at(-1), [young.zip.length, 0], 'the progress has no total, because this server sends none');
  t.ok((await readFile(target)).equals(young.zip));
});

t.test('an index is requested once a minute, conditionally, and a failure is cached for five seconds', async (t) => {
  const { item } = bundleOf();
  let isDown = false;
  const { url, asked } = await serve(t, ({ headers }, response) => {
    if (isDown) response.writeHead(500).end();
    else if (headers['if-none-match'] === '"one"') response.writeHead(304).end();
    else response.writeHead(200, { etag: '"one"' }).end(indexOf({ ...item, file: 'a.zip' }));
  });
  const { source, pass } = opened(t, `${url}/team/index.json`, 'plat_secret');
  const search = () => source.search({}, soon());
  const both = await Promise.all([search(), search()]);
  t.strictSame([both[0].length, both[1].length, asked.length], [1, 1, 1], 'concurrent callers share one answer');
  t.match(asked[0], { url: '/team/index.json', headers: { authorization: 'Bearer plat_secret' } });
  pass(59_000);
  await search();
  t.equal(asked.length, 1);
  pass(2_000);
  t.equal((await search()).length, 1, 'unchanged');
  t.strictSame([asked.length, asked[1]?.headers['if-none-match']], [2, '"one"']);
  pass(61_000);
  isDown = true;
  await t.rejects(search(), { code: 'source_unavailable', message: /answers with status 500/ });
  isDown = false;
  await t.rejects(search(), { code: 'source_unavailable' });
  t.equal(asked.length, 3);
  pass(6_000);
  t.equal((await search()).length, 1);
});

t.test('an aborted caller leaves, and the next finds the result', async (t) => {
  const { item } = bundleOf();
  let release = () => {};
  const { url, asked } = await serve(t, (_, response) => {
    release = () => void response.end(indexOf({ ...item, file: 'a.zip' }));
  });
  const { source } = opened(t, `${url}/index.json`);
  const hurry = AbortSignal.timeout(100);
  await t.rejects(source.search({}, hurry), { name: 'TimeoutError' });
  release();
  t.equal((await source.search({}, soon())).length, 1);
  t.equal(asked.length, 1);
});

t.test('over https a mirror needs a trusted certificate', async (t) => {
  const { item } = bundleOf();
  const answer: RequestListener = (_, response) => void response.end(indexOf({ ...item, file: 'a.zip' }));
  const server = createServer(ownCertificate, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const unknown = opened(t, `https://127.0.0.1:${(server.address() as AddressInfo).port}/index.json`);
  await t.rejects(unknown.source.search({}, soon()), { code: 'source_unavailable', message: /self-signed certificate/ });
  const trusted = opened(t, `${await startSecureServer(t, answer)}/index.json`);
  t.equal((await trusted.source.search({}, soon())).length, 1);
});
