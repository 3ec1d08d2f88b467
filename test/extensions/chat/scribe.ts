import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { Run } from '../../../extensions/chat/contract.js';
import type { Scripts } from '../../fixtures/extensions/scribe/contract.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { skipWithout } from '../../helpers/parts.js';
import { fixture, ownExtension, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { administrator, type PlatformClient } from './world.js';

const scripts: Scripts = new Map();
Object.assign(globalThis, { scribe: scripts });

/** Platforms whose AI employees write what a test says. */
export const withScribe = { extensions: [ownExtension('members'), ownExtension('chat'), fixture('scribe')] };

/** Runs a subtest on SQLite with the memory bus, and one on two instances on PostgreSQL with Redis. */
export async function onOneAndTwo(t: Test, work: (t: Test, platforms: [TestPlatform, TestPlatform]) => Promise<void>): Promise<void> {
  await t.test('one instance on SQLite', async (t) => {
    const platform = await startPlatform(t, withScribe);
    await work(t, [platform, platform]);
  });
  await t.test('two instances on PostgreSQL and Redis', { skip: skipWithout('postgres', 'redis') }, async (t) => {
    const settings = await sharedSettings(t);
    await work(t, [await startPlatform(t, { ...withScribe, settings }), await startPlatform(t, { ...withScribe, settings })]);
  });
}

/** A message, as it is sent, whose answer is written by `write`. */
export async function scripted(
  platform: TestPlatform,
  write: (run: Run) => Promise<void>,
): Promise<{ content: string; target_id: number }> {
  const content = randomUUID();
  scripts.set(content, write);
  return { content, target_id: await employee(administrator(platform)) };
}

async function employee(client: PlatformClient): Promise<number> {
  return (await client.members.create_virtual({ name: 'Scribe' })).id;
}

/** A promise that a test resolves. */
export function gate(): { open: () => void; passed: Promise<void> } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}
