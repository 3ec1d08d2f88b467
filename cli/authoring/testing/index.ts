/** What authors' tests import as `platform/testing`. */
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

/** Reads until what is read is accepted. */
export async function until<Value>(
  read: () => Value | Promise<Value>,
  accepts: (value: Value) => boolean,
  limit_ms = 10_000,
): Promise<Value> {
  const end = Date.now() + limit_ms;
  for (;;) {
    const value = await read();
    if (accepts(value)) return value;
    if (Date.now() > end) throw new Error(`It has not come to pass within ${limit_ms / 1000} s; at last there was ${shown(value)}`);
    await pause(pause_ms);
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 1_000);
}

export type * from './contract.js';

/** Of the platform's own, all but work nodes, which would look for a container engine. */
const extensions = ['system', 'members', 'chat', 'agents', 'schedules', 'notifications'].map((id) =>
  fileURLToPath(new URL(`../../../extensions/${id}`, import.meta.url)),
);

export const startPlatform = async (options: StartOptions = {}): Promise<TestPlatform> => {
  const aside = await mkdtemp(join(tmpdir(), 'platform-testing-'));
  const remove = async () => {
    // What is installed can only be read, and so not be removed by everybody.
    await removeFolder(join(aside, 'data', 'extensions'));
    await rm(aside, { recursive: true, force: true, maxRetries: 3 });
  };
  let kernel: Kernel | undefined;
  try {
    const packed = await pack(resolve(options.folder ?? '.'), {
      file: join(aside, 'bundle.zip'),
      builtin: builtinWords(),
    });
    const { id } = packed.bundle.manifest;
    const password = randomBytes(12).toString('base64url');
    kernel = await started({ data_dir: join(aside, 'data'), id, password, options });
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

function started({ data_dir, id, password, options: { fetch_allow = [] } }: Start): Promise<Kernel> {
  const config = loadConfig({
    env: {},
    // Trusted, so that authors may test on machines that refuse walls; its permissions hold on all of them.
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
