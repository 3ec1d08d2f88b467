import tap, { type Test } from 'tap';
import type { Approval, ApprovalRequired, LimitReached } from '../../../extensions/agents/contract.js';
import type { Message, Sent } from '../../../extensions/chat/contract.js';
import type { Mode } from '../../../extensions/members/contract.js';
import type { StreamEvent, Tool, ToolProvider, ToolResult, ToolUse } from '../../../kernel/contract/index.js';
import type { Workshop } from '../../fixtures/extensions/toolsmith/contract.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import type { ModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { fixture, ownExtension, type PlatformOptions, startPlatform, type TestPlatform, temporaryFolder } from '../../helpers/platform.js';
import { administrator, collect, login, type PlatformClient, replyTo, type Someone, someone, withModel } from '../chat/world.js';

/** The fixture's current contributions: read at the start of each run. */
const workshop: Workshop = { tools: () => [], done: [], reached: [], asked: [] };
Object.assign(globalThis, { workshop });

export const withTools = {
  extensions: [ownExtension('members'), ownExtension('chat'), ownExtension('agents'), fixture('toolsmith')],
};

/** Calls of the fixture's operations, in order. */
export const done: readonly string[] = workshop.done;

/** The limits that runs have reached. */
export const reached: readonly LimitReached[] = workshop.reached;

/** Events about requested approvals that other extensions received. */
export const asked: readonly ApprovalRequired[] = workshop.asked;

/** Brings these tools from now on, in all platforms of this process. */
export function bring(tools: readonly Tool[] | ToolProvider['tools']): void {
  workshop.tools = typeof tools === 'function' ? tools : () => tools;
}

/** A tool that reads, unless it is told otherwise. */
export function tool(
  name: string,
  call: (input: object, use: ToolUse) => Promise<ToolResult> | ToolResult,
  change: Partial<Tool> = {},
): Tool {
  return {
    name,
    title: name,
    description: `Does ${name}`,
    input: { type: 'object' },
    effect: 'read',
    call: async (input, use) => call(input, use),
    ...change,
  };
}

export interface Place {
  model: ModelServer;
  /** On SQLite twice the same one; else two instances. */
  platforms: [TestPlatform, TestPlatform];
  /** Another start of the first one, after its end. */
  again: () => Promise<TestPlatform>;
}

type Kind = 'sqlite' | 'postgres';
type Work = (t: Test, place: Place) => Promise<void>;

/** Runs a subtest on one instance with SQLite and the memory bus, and one on two with PostgreSQL and Redis. */
export function onOneAndTwo(t: Test, work: Work, options: PlatformOptions = {}): Promise<void> {
  return onBoth(t, async (t, kind) => work(t, await startPlace(t, kind, options)));
}

/** Returns an {@link onOneAndTwo} for all tests of a file: they share its platforms, so they don't end them, and each has people of its own. */
export function sharedOnOneAndTwo(options: PlatformOptions = {}): (t: Test, work: Work) => Promise<void> {
  const places = new Map<Kind, Promise<Place>>();
  const placeOn = (kind: Kind) => {
    const place = places.get(kind) ?? startPlace(tap, kind, options);
    places.set(kind, place);
    return place;
  };
  return (t, work) => onBoth(t, async (t, kind) => work(t, await placeOn(kind)));
}

async function onBoth(t: Test, work: (t: Test, kind: Kind) => Promise<void>): Promise<void> {
  await t.test('one instance on SQLite', async (t) => work(t, 'sqlite'));
  const skip = skipWithout('postgres', 'redis');
  await t.test('two instances on PostgreSQL and Redis', { skip }, async (t) => work(t, 'postgres'));
}

async function startPlace(t: Test, kind: Kind, options: PlatformOptions): Promise<Place> {
  const { model, options: asked } = await withModel(t);
  const shared = kind === 'postgres' ? await sharedSettings(t) : { data_dir: await temporaryFolder(t) };
  const again = () => startPlatform(t, { ...withTools, ...options, settings: { ...asked.settings, ...options.settings, ...shared } });
  const first = await again();
  return { model, platforms: [first, kind === 'postgres' ? await again() : first], again };
}

/** Somebody who can also ask another instance. */
export type Person = Someone & { on: (platform: TestPlatform) => Promise<PlatformClient> };

/** A person, and an AI employee that works in this mode. */
export async function pair(t: Test, platform: TestPlatform, mode: Mode): Promise<{ ada: Person; target_id: number }> {
  const { id } = await administrator(platform).members.create_virtual({ name: `Vic ${mode}`, mode });
  const ada = await someone(t, platform);
  return { ada: { ...ada, on: (other) => login(t, other, ada.name) }, target_id: id };
}

export interface Conversed {
  sent: Sent;
  events: StreamEvent[];
  reply: Message;
}

/** Sends to an AI employee, reads the reply to its end, and gives it as it is stored. */
export async function ask(
  client: PlatformClient,
  message: { content: string; target_id?: number; session_id?: string },
): Promise<Conversed> {
  const sent = await client.chat.send(message);
  const events = await collect(client.messages.stream({ message_id: sent.message_id }));
  return { sent, events, reply: await replyTo(client, sent) };
}

/** Returns the pending approvals of the task once there are this many. */
export async function openApprovals(client: PlatformClient, { task_id }: Sent, count = 1): Promise<Approval[]> {
  const list = async () =>
    (await client.approvals.list({ status: 'pending', limit: 200, offset: 0 })).filter((each) => each.task_id === task_id);
  return until(list, (open) => open.length >= count);
}
