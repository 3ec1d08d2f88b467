import { join } from 'node:path';
import type { Test } from 'tap';
import type { MarketplaceApi, Published } from '../../../extensions/marketplace/contract.js';
import type { MembersApi } from '../../../extensions/members/contract.js';
import type { NotificationsApi } from '../../../extensions/notifications/contract.js';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import type { Caller, Database } from '../../../kernel/contract/index.js';
import type { SystemApi } from '../../../kernel/contract/system.js';
import { removeFolder } from '../../../kernel/platform/bundles/folder.js';
import { openData } from '../../../kernel/platform/data/hub.js';
import { eachPlatform } from '../../helpers/cluster.js';
import { silentLog, systemClock } from '../../helpers/databases.js';
import { adminPassword, callerOf, ownExtension, type PlatformOptions, type TestPlatform } from '../../helpers/platform.js';
import { type PluginParts, pluginZip } from '../../kernel/core/plugins/bundle.js';

type Api = MarketplaceApi & MembersApi & SchedulesApi & NotificationsApi & SystemApi;
export type MarketClient = Client<Api>;

export const extensions = ['members', 'marketplace', 'schedules', 'notifications'].map(ownExtension);

/** The ids under which plugins run also where namespaces are refused. */
export const ids = ['guest', 'other', 'third', 'acme.tools'];

export interface Person {
  id: number;
  client: MarketClient;
}

export interface World {
  platform: TestPlatform;
  /** The administrator, without a network. */
  admin: MarketClient;
  /** Members. */
  ada: Person;
  bob: Person;
  again: () => Promise<TestPlatform>;
}

/** Runs a subtest on SQLite with the memory bus, and one on PostgreSQL with Redis. */
export async function onEach(
  t: Test,
  work: (t: Test, world: World) => Promise<void>,
  { settings, ...options }: PlatformOptions = {},
): Promise<void> {
  const trusting = { 'plugins.trusted': ids, ...settings };
  await eachPlatform(t, { extensions, ...options, settings: trusting }, async (t, platform, again) => {
    // Only root removes what can only be read.
    t.teardown(() => removeFolder(join(platform.data_dir, 'extensions')));
    const admin = clientOf(platform);
    await work(t, { platform, admin, ada: await someone(platform, 'ada'), bob: await someone(platform, 'bob'), again });
  });
}

export function clientOf({ kernel }: TestPlatform, caller: Caller = callerOf()): MarketClient {
  return connect<Api>(kernel.operations(), direct(kernel, caller));
}

export async function someone(platform: TestPlatform, username: string, role: Caller['role'] = 'member'): Promise<Person> {
  const { id } = await clientOf(platform).members.create({ username, password: adminPassword, role });
  return { id, client: clientOf(platform, callerOf({ member_id: id, username, role })) };
}

/** Publishes a ZIP, as a plugin unless it is told otherwise. */
export function publish({ client }: Pick<Person, 'client'>, zip: Buffer, more: object = {}): Promise<Published> {
  return client.marketplace.publish({ type: 'plugin', file: { name: 'bundle.zip', bytes: zip }, ...more } as never);
}

/** Publishes a plugin and has it approved. */
export async function approved(
  { admin, ada }: Pick<World, 'admin' | 'ada'>,
  parts: PluginParts = {},
  by: Person = ada,
): Promise<Published> {
  const published = await publish(by, pluginZip(parts));
  await admin.marketplace.approve({ id: published.id, version: published.version });
  return published;
}

/** The operations in the audit trail, the first first. */
export function audited(platform: TestPlatform): Promise<string[]> {
  return inDatabase(platform, async (db) => {
    const rows = await db.rows<{ operation: string }>('SELECT operation FROM kernel_audit ORDER BY id');
    return rows.map(({ operation }) => operation);
  });
}

/** How many rows of the marketplace's there are, and blobs, and their holders by extension. */
export function left(platform: TestPlatform): Promise<Record<string, number>> {
  return inDatabase(platform, async (db) => {
    const count = async (table: string) => Number((await db.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
    const tables = ['marketplace_extensions', 'marketplace_versions', 'kernel_blobs', 'kernel_blob_holders'];
    return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await count(table)] as const)));
  });
}

/** Its tables, by a connection beside its own. */
export async function inDatabase<T>({ data_dir, database_url }: TestPlatform, work: (db: Database) => Promise<T>): Promise<T> {
  const data = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
  try {
    return await work(data.facade('kernel'));
  } finally {
    await data.close();
  }
}
