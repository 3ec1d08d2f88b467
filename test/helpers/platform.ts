import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { loadConfig } from '../../config/load.js';
import type { SettingKey } from '../../config/schema.js';
import { boot } from '../../kernel/boot/boot.js';
import type { BootOptions, Kernel } from '../../kernel/boot/kernel.js';
import type { Caller } from '../../kernel/contract/index.js';
import { ownExtension } from './folders.js';

export { fixture, ownExtension } from './folders.js';

export interface PlatformOptions extends Partial<BootOptions> {
  /** Settings beyond a free port and a temporary data folder. */
  settings?: Partial<Record<SettingKey, unknown>>;
}

export interface TestPlatform {
  kernel: Kernel;
  /** Where it listens. */
  url: string;
  data_dir: string;
  database_url: string;
  /** Its log lines, parsed. */
  lines: Record<string, unknown>[];
}

export const adminPassword = 'correct horse battery';

/** A folder that is removed after the test. */
export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Starts a platform in this process, on a free port and a temporary data folder, and ends it after the test. */
export async function startPlatform(t: Test, { settings = {}, extensions, ...options }: PlatformOptions = {}): Promise<TestPlatform> {
  const data_dir = (settings.data_dir as string | undefined) ?? (await temporaryFolder(t));
  const lines: Record<string, unknown>[] = [];
  // Tests ask more at once than anybody; the limits have tests of their own.
  const unlimited = { 'limits.requests_per_minute': 0, 'limits.costly_per_minute': 0 };
  const overrides = { data_dir, port: 0, 'members.admin_password': adminPassword, ...unlimited, ...settings };
  const config = loadConfig({ env: {}, overrides });
  const log = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const kernel = await boot(config, {
    listen: true,
    background: true,
    strict: true,
    log,
    ...options,
    ...(extensions && { extensions: withSystem(extensions) }),
  });
  t.teardown(() => kernel.close());
  return { kernel, url: kernel.url ?? '', data_dir, database_url: config.database_url, lines };
}

/** Every installation can be asked for its extensions, checks and backups. */
function withSystem(extensions: readonly string[]): readonly string[] {
  const system = ownExtension('system');
  return extensions.includes(system) ? extensions : [system, ...extensions];
}

/** A caller for operations that are asked in this process without logging in. */
export function callerOf(change: Partial<Caller> = {}): Caller {
  return {
    member_id: 1,
    username: 'admin',
    role: 'admin',
    scopes: 'all',
    door: 'direct',
    address: '',
    token_id: '',
    expires_at: 0,
    ...change,
  };
}
