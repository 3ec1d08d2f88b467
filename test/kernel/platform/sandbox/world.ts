import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { isFailure, type Permissions } from '../../../../kernel/contract/index.js';
import { loadBundle } from '../../../../kernel/core/host/loader.js';
import { readManifest } from '../../../../kernel/core/host/manifest.js';
import { type SandboxOptions, sandboxed } from '../../../../kernel/platform/sandbox/plugin.js';
import { type PlatformOptions, startPlatform, type TestPlatform } from '../../../helpers/platform.js';

/** Starts a platform whose only extensions are those in the folders, each in a process of its own. */
export async function startSandboxed(
  t: Test,
  folders: readonly string[],
  { sandbox = {}, ...options }: PlatformOptions & { sandbox?: Partial<SandboxOptions> } = {},
): Promise<TestPlatform> {
  const platform = await startPlatform(t, { extensions: [], ...options });
  for (const folder of folders) await installSandboxed(platform, folder, sandbox);
  return platform;
}

/** Permissions that the fixtures and the plugins of tests ask for, so that the tests may be about something else. */
const granted: Permissions = {
  operations: ['hello.whoami', 'hello.greet', 'no.such', 'plugins.disable', 'plugins.list', 'probe.stream', 'hello.count'],
  events: ['hello.greeted', 'hello.told'],
  network: ['127.0.0.1:*', '10.1.2.3'],
  storage: true,
  public_routes: true,
};

/** Puts the extension in the folder in place, in a process of its own; trusted, so that tests run where namespaces are refused. */
export async function installSandboxed({ kernel }: TestPlatform, folder: string, options: Partial<SandboxOptions> = {}): Promise<void> {
  const manifest = await readManifest(folder);
  const bundle = await loadBundle(folder, manifest);
  await kernel.host.replace(
    {
      ...bundle,
      evaluate: () => sandboxed({ manifest, folder }, { walls: kernel.walls, trusted: true, permissions: granted, ...options }),
    },
    folder,
  );
}

/** The folder of a plugin `xx` whose code is given as the body of its `activate(ctx)`; its operations are made by `op`. */
export async function pluginFolder(t: Test, activate: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-plugin-test-'));
  await chmod(folder, 0o755);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const manifest = {
    id: 'xx',
    name: 'X',
    type: 'plugin',
    version: '1.0.0',
    description: 'Tries things.',
    author: 'a',
    claims: ['/api/x/x'],
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'index.cjs'), `${prelude}\nexports.default = { async activate(ctx) {\n${activate}\n} };`);
  return folder;
}

/** `op('name', {kind: 'stream'})` describes an operation that takes any object and answers anything. */
const prelude = `
const op = (name, more = {}) => ({
  summary: name, method: 'POST', path: '/api/x/x/' + name, who: 'public', input: (j) => j.object().unknown(), answer: (j) => j.any(), ...more,
});
const stream = (name) => ({ ...op(name, { kind: 'stream', method: 'GET' }), answer: undefined });
`;

/** How an operation ended, as any door would tell it. */
export type Ending =
  | { status: number; body: unknown }
  | { events: unknown[]; status: number; failed?: object }
  | { code: string; status: number; message: string; details?: unknown; retry_after?: unknown };

/** Returns what a door makes of a thrown value. */
export function failureOf(thrown: unknown): Ending & { code: string } {
  if (!isFailure(thrown)) return { code: 'internal_error', status: 500, message: 'hidden' };
  const { code, status, message, details, retry_after } = thrown;
  return { code, status, message, details, retry_after };
}
