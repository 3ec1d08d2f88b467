/**
 * A program: runs all attacks on a platform of its own, each without the wall that it is for, then with it, and prints one
 * line of JSON for each. Started by `attacks.test.ts` as different users.
 */
import { copyFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { Containment } from '../../../../../kernel/platform/sandbox/walls/containment.js';
import type { WallName } from '../../../../../kernel/platform/sandbox/walls/wall.js';
import { callerOf, startPlatform, type TestPlatform, temporaryFolder } from '../../../../helpers/platform.js';
import { installSandboxed, pluginFolder } from '../world.js';
import { type Attack, attackerCode, attacks, type Role } from './attacks.js';
import { Targets } from './targets.js';

/** How it went: what the attacker got in the control run, and what it got with the wall. */
export interface Report {
  does: string;
  wall: WallName;
  at: string;
  control: Shot;
  /** `unharmed`: whether the process that was aimed at goes on. */
  held: Shot & { unharmed: boolean };
}

interface Shot {
  /** How the plugin answered a normal call. */
  before: unknown;
  outcome: Outcome;
  after: unknown;
  /** Those that held. */
  walls: readonly WallName[];
}

type Outcome = { done: unknown } | { stopped: string };

const role: Role = process.getuid?.() === 0 ? 'root' : 'somebody';
const cleanups: (() => unknown)[] = [];
const t = { teardown: (work: () => unknown) => void cleanups.unshift(work) } as unknown as Test;

/** Layers that a wall depends on: only a user namespace allows the others, and another user has no way in except by a view. */
function besides({ wall, beside = [] }: Attack): readonly WallName[] {
  const named = [...beside];
  const apart = [...named, wall].some((each) => ['network', 'processes', 'files', 'ipc'].includes(each));
  if (role === 'somebody' && apart && !named.includes('user')) named.push('user');
  return named;
}

async function shoot(platform: TestPlatform, targets: Targets, attack: Attack): Promise<Report> {
  const beside = besides(attack);
  const control = await attempt(platform, { targets, attack, walls: beside });
  const held = await attempt(platform, { targets, attack, walls: [...beside, attack.wall] });
  return {
    does: attack.does,
    at: attack.at ?? '',
    wall: attack.wall,
    control,
    held: { ...held, unharmed: await targets.unharmed() },
  };
}

interface Try {
  targets: Targets;
  attack: Attack;
  walls: readonly WallName[];
}

async function attempt(platform: TestPlatform, { targets, attack, walls }: Try): Promise<Shot> {
  const { kernel } = platform;
  const ask = async (operation: string, input: object = {}) => (await kernel.invoke(operation, input, callerOf())).body;
  const containment = containmentOf(platform, walls);
  const around = (await containment.walls()).filter(({ holds }) => holds).map(({ wall }) => wall);
  const install = async (folder: string) => installSandboxed(platform, folder, { walls: containment });
  if (attack.refused) await install(await pluginFolder(t, attackerCode));
  const folder = await folderOf(attack);
  const refused = await install(folder).then(
    () => undefined,
    (fault: Error) => fault.message,
  );
  if (refused !== undefined && !attack.refused) throw new Error(`${attack.does}, with ${walls.join(', ')}: ${refused}`);
  const before = await ask('x.greet');
  const target = await targets.of(attack.at);
  const outcome = (refused === undefined ? await ask('x.attack', { what: attack.does, target }) : { stopped: refused }) as Outcome;
  const after = await ask('x.greet');
  await kernel.host.disable('xx');
  return { before, outcome, after, walls: around };
}

const containments = new Map<string, Containment>();

/** One for each set of walls: what holds is found out once. */
function containmentOf({ data_dir }: TestPlatform, walls: readonly WallName[]): Containment {
  const key = [...walls].sort().join(' ');
  const containment = containments.get(key) ?? new Containment({ data_dir, trusted: [], walls });
  containments.set(key, containment);
  return containment;
}

async function folderOf({ brings }: Attack): Promise<string> {
  const folder = await pluginFolder(t, attackerCode);
  if (brings === 'a link') await symlink('/etc/passwd', join(folder, 'link'));
  if (brings === 'an addon') {
    const sqlite = dirname(createRequire(import.meta.url).resolve('sqlite3/package.json'));
    await copyFile(join(sqlite, 'build/Release/node_sqlite3.node'), join(folder, 'addon.node'));
  }
  return folder;
}

async function main(): Promise<void> {
  const platform = await startPlatform(t, { extensions: [], strict: false });
  const targets = new Targets(await temporaryFolder(t), Number(new URL(platform.url).port));
  await targets.open();
  cleanups.unshift(() => targets.close());
  const only = process.argv[2];
  for (const attack of attacks.filter(({ only: wanted = role, does }) => wanted === role && (only === undefined || does === only))) {
    console.log(JSON.stringify(await shoot(platform, targets, attack)));
  }
  for (const cleanup of cleanups) await cleanup();
}

await main();
