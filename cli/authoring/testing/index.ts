/** The module that authors' tests import as `platform/testing`. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../config/load.js';
import { boot } from '../../../kernel/boot/boot.js';
import type { Kernel } from '../../../kernel/boot/kernel.js';
import { removeFolder } from '../../../kernel/platform/bundles/folder.js';
import { pack } from '../../../kernel/platform/bundles/pack.js';
import { builtinWords } from '../builtin-words.js';
import type { StartOptions, TestPlatform } from './contract.js';
import { People } from './people.js';

const pause_ms = 20;

/** Reads until the value is accepted, and returns it. Fails after `limit_ms`. */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  accepts: (value: Value) => boolean,
  limit_ms = 10_000,
): Promise<Value> {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await read();
    if (accepts(value)) return value;
    if (Date.now() > end) throw new Error(`No accepted value within ${limit_ms / 1000} s; the last one was ${preview(value)}`);
    await pause(pause_ms);
  }
}

function preview(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 1_000);
}

export type * from './contract.js';

/** Built-in extensions of a test platform: all but work nodes, which would look for a container engine. */
const extensions = ['system', 'members', 'chat', 'agents', 'schedules', 'notifications'].map((id) =>
  fileURLToPath(new URL(`../../../extensions/${id}`, import.meta.url)),
);

export const startPlatform = async (options: StartOptions = {}): Promise<TestPlatform> => {
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'platform-testing-'));
  const remove = async () => {
    // Installed extensions are read-only, so plain removal fails for users other than root.
    await removeFolder(join(temporaryFolder, 'data', 'extensions'));
    await rm(temporaryFolder, { recursive: true, force: true, maxRetries: 3 });
  };
  let kernel: Kernel | undefined;
  try {
    const packed = await pack(resolve(options.folder ?? '.'), {
      file: join(temporaryFolder, 'bundle.zip'),
      builtin: builtinWords(),
    });
    const { id } = packed.bundle.manifest;
    const password = randomBytes(12).toString('base64url');
    kernel = await bootPlatform({ data_dir: join(temporaryFolder, 'data'), id, password, options });
    const platform = platformOf(kernel, { id, password, remove });
    await kernel.workbench.install(await readFile(packed.file));
    if (options.config !== undefined) await platform.configure(options.config);
    return platform;
  } catch (fault) {
    await kernel?.close();
    await remove();
    throw fault;
  }
};

interface Start {
  data_dir: string;
  id: string;
  password: string;
  options: StartOptions;
}

function bootPlatform({ data_dir, id, password, options: { fetch_allow = [] } }: Start): Promise<Kernel> {
  const config = loadConfig({
    env: {},
    // Trusted, so that authors can test on machines without sandbox support; its permissions apply on all of them.
    overrides: { data_dir, port: 0, fetch_allow: [...fetch_allow], 'members.admin_password': password, 'plugins.trusted': [id] },
  });
  return boot(config, { listen: true, background: true, strict: true, extensions, log: { write: () => undefined } });
}

interface Parts {
  id: string;
  password: string;
  remove: () => Promise<void>;
}

function platformOf(kernel: Kernel, { id, password, remove }: Parts): TestPlatform {
  const people = new People(kernel, password);
  const url = kernel.url as string;
  const call: TestPlatform['call'] = async <Answer>(operation: string, input: object = {}, { as = 'member' } = {}) =>
    (await kernel.invoke(operation, input, await people.caller(as))).body as Answer;
  const asAdmin = { as: 'admin' };
  return {
    url,
    call,
    async request(path, { as = 'member', ...init } = {}) {
      const headers = new Headers(init.headers);
      const token = await people.token(as);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      return fetch(new URL(path, url), { ...init, headers });
    },
    emit: (topic, payload) => kernel.workbench.emit(topic, payload),
    storage: kernel.workbench.storage(id),
    configure: async (config) => void (await call('plugins.configure', { name: id, config }, asAdmin)),
    member: (username, role) => people.add(username, role),
    log: async () => (await call<{ log: Awaited<ReturnType<TestPlatform['log']>> }>('plugins.get', { name: id }, asAdmin)).log,
    until: (read, accepts) => until(read, accepts),
    async close() {
      await kernel.close();
      await remove();
    },
  };
}
