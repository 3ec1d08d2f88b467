import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { findPart, requiredParts, skipReason } from './parts.js';

t.test('a program is found in the path', async (t) => {
  const folder = t.testdir({ 'redis-server': '#!/bin/sh\n' });
  await chmod(join(folder, 'redis-server'), 0o755);
  t.same(findPart('redis', { PATH: `/nowhere:${folder}` }), { program: join(folder, 'redis-server') });
});

t.test('a file that is not executable is no program', async (t) => {
  const folder = t.testdir();
  await writeFile(join(folder, 'tmux'), '', { mode: 0o644 });
  t.equal(findPart('tmux', { PATH: folder }), undefined);
});

t.test('a given server is preferred to an own one', async (t) => {
  const url = 'postgres://somebody@192.0.2.1/db';
  t.same(findPart('postgres', { PLATFORM_TEST_POSTGRES_URL: url, PATH: '/usr/bin' }), { url });
});

t.test('a missing part is a reason to skip, by name', async (t) => {
  t.equal(skipReason(['chromium'], { PATH: '/nowhere' }), 'needs chromium');
});

t.test('without required parts there is no reason to skip', async (t) => {
  t.equal(skipReason([], { PATH: '/nowhere' }), false);
});

t.test('a missing part that is required is a failure', async (t) => {
  const env = { PATH: '/nowhere', PLATFORM_TEST_REQUIRE: 'postgres, chromium' };
  t.throws(() => skipReason(['chromium'], env), { message: "PLATFORM_TEST_REQUIRE names 'chromium', but this machine has none" });
  t.equal(skipReason(['tmux'], env), 'needs tmux');
});

t.test('an unknown required part is reported', async (t) => {
  t.same(requiredParts({ PLATFORM_TEST_REQUIRE: ' docker,ssh,' }), ['docker', 'ssh']);
  t.throws(() => requiredParts({ PLATFORM_TEST_REQUIRE: 'doker' }), {
    message: /names 'doker', but the parts are docker, registry, postgres/,
  });
});

t.test('an engine without the requirements of its tests counts as missing', async (t) => {
  const folder = t.testdir({ dockerd: '#!/bin/sh\n' });
  await chmod(join(folder, 'dockerd'), 0o755);
  t.equal(findPart('docker', { PATH: folder }), undefined);
});
