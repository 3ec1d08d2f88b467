import { readdir } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { adminPassword, callerOf, type TestPlatform } from '../../helpers/platform.js';
import { added, hostile, hostileSkills } from '../../kernel/platform/bundles/hostile.js';
import { codeOf, goodPlugin, pluginManifest } from '../../kernel/platform/bundles/world.js';
import { zipOf } from '../../kernel/platform/bundles/zip.js';
import { left, onEach, publish, type World } from './world.js';

/** All that lies in the data folder but for the database, whose journal comes and goes. */
async function filesOf({ data_dir }: TestPlatform): Promise<string[]> {
  const entries = await readdir(data_dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('platform.'));
  return files.map(({ parentPath, name }) => `${parentPath}/${name}`).sort();
}

/** Runs the work, and sees to it that it has left nothing. */
async function leavingNothing(t: Test, { platform }: World, work: () => Promise<void>): Promise<void> {
  const [files, rows] = [await filesOf(platform), await left(platform)];
  await work();
  t.same(await filesOf(platform), files, 'no file is left');
  t.same(await left(platform), rows, 'no row and no blob is left');
}

t.test('hostile bundles are rejected with their codes and leave no file, row or blob', async (t) => {
  await onEach(t, async (t, world) => {
    t.ok(Object.keys(hostile).length >= 40);
    // So that there is something to be left alone.
    t.match(await publish(world.bob, zipOf(goodPlugin())), { status: 'under_review' });
    t.match(await left(world.platform), { marketplace_extensions: 1, marketplace_versions: 1, kernel_blobs: 1, kernel_blob_holders: 1 });
    await leavingNothing(t, world, async () => {
      for (const [what, [code, bytes]] of Object.entries(hostile)) {
        t.equal(await codeOf(publish(world.ada, bytes())), code, `a plugin that ${what}`);
      }
      for (const [what, [code, parts]] of Object.entries(hostileSkills)) {
        t.equal(await codeOf(publish(world.ada, zipOf(parts()), { type: 'skill' })), code, `a skill that ${what}`);
      }
    });
  });
});

t.test('hostile bundles are rejected over HTTP too, up to 50 MiB, and leave no temporary file', async (t) => {
  await onEach(t, async (t, world) => {
    const { platform } = world;
    const nobody = callerOf({ member_id: 0 });
    const { body } = await platform.kernel.invoke('auth.login', { username: 'ada', password: adminPassword }, nobody);
    const headers = { authorization: `Bearer ${(body as { access_token: string }).access_token}` };
    const send = async (bytes: Buffer, fields: Readonly<Record<string, string>> = { type: 'plugin' }) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('bundle', new Blob([bytes]), 'bundle.zip');
      const answer = await fetch(`${platform.url}/api/marketplace/publish`, { method: 'POST', headers, body: form });
      const { code, id, details } = (await answer.json()) as Record<string, unknown>;
      return { status: answer.status, code, id, details };
    };
    const bytesOf = (what: string) => (hostile[what] as (typeof hostile)[string])[1]();
    await leavingNothing(t, world, async () => {
      t.match(await send(bytesOf('has 50 MiB and a byte')), { status: 413, code: 'bundle_too_large' });
      t.match(await send(Buffer.alloc(52 * 1024 * 1024)), { status: 413, code: 'payload_too_large' });
      t.match(await send(bytesOf('leaves its folder')), { status: 400, code: 'bundle_path_unsafe' });
      t.match(await send(zipOf(goodPlugin()), {}), { status: 400, code: 'invalid_input', details: [{ path: 'type' }] });
      t.match(await send(zipOf(goodPlugin()), { type: 'theme' }), { status: 400, code: 'invalid_input', details: [{ path: 'type' }] });
      const half = { type: 'plugin', public_key: Buffer.alloc(32, 1).toString('base64') };
      t.match(await send(zipOf(goodPlugin()), half), { status: 400, code: 'invalid_input', details: [{ path: 'signature' }] });
      const forged = { ...half, signature: Buffer.alloc(64, 1).toString('base64') };
      t.match(await send(zipOf(goodPlugin()), forged), { status: 400, code: 'signature_invalid' });
    });
    t.match(await send(zipOf(goodPlugin())), { status: 201, id: 'acme.hello' });
    const { paths } = (await (await fetch(`${platform.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const form = {
      properties: { bundle: { type: 'string', format: 'binary' }, type: { enum: ['skill', 'plugin'] }, file: undefined },
      required: ['type', 'bundle'],
    };
    const documented = { post: { requestBody: { content: { 'multipart/form-data': { schema: form } } } } };
    t.match(paths['/api/marketplace/publish'], documented);
    // Noise can't be compressed, so the rest of the limits are kept.
    const noise = Buffer.from(Array.from({ length: 1024 * 1024 }, (_, n) => (n * n * 31 + (n >> 3)) % 256));
    const big = added(...Array.from({ length: 49 }, (_, n) => ({ name: `noise-${n}`, method: 0, content: noise })));
    const manifest = { name: 'manifest.json', content: JSON.stringify({ ...pluginManifest, id: 'acme.big' }) };
    const bytes = zipOf([manifest, ...big.slice(1)]);
    t.ok(bytes.length > 49 * 1024 * 1024 && bytes.length < 50 * 1024 * 1024);
    t.match(await send(bytes), { status: 201, id: 'acme.big' });
  });
});
