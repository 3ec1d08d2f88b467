import assert from 'node:assert/strict';
import type { StopReason } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import { endsWithin, within } from '../../contract/within.js';
import type { Cell, CellContent } from '../catalog/cell.js';
import type { Listeners } from '../events/listeners.js';
import type { Repeats } from '../events/repeats.js';
import { channelSlot } from './channel.js';
import { fail } from './codes.js';
import { createContext, type Services } from './context.js';
import type { Neighbours } from './loaded.js';
import type { Bundle } from './loader.js';
import type { Receipt } from './receipt.js';
import { Running } from './running.js';
import { kernelNames } from './socket-names.js';

const activate_limit_ms = 30_000;
/** How long each step of a stop may take. The process as a whole has 10 s to end. */
const limits_ms = {
  replaced: { settle: undefined, drain: 10_000, deactivate: 5_000 },
  removed: { settle: 8_000, drain: 10_000, deactivate: 5_000 },
  shutdown: { settle: 4_000, drain: 2_000, deactivate: 1_000 },
} as const satisfies Record<StopReason, { settle: number | undefined; drain: number; deactivate: number }>;

/** The HTTP side of an extension, where there is one. */
export interface Cells {
  build(content: CellContent): Promise<Cell>;
  stop(cell: Cell): Promise<void>;
  /** Ends the streams that an extension still serves, with a last event. */
  stopStreams(extension: string): void;
}

/** Installs extensions. It needs the host, which needs the activator. */
export type Installing = Pick<Services, 'extensions' | 'itself'>;

export interface ActivatorOptions {
  services: Omit<Services, keyof Installing>;
  listeners: Listeners;
  repeats: Repeats;
  cells: Cells | undefined;
}

/** Runs the code of an extension and builds what the doors need of it, without anyone seeing it yet. */
export class Activator {
  readonly options: ActivatorOptions;
  #installing: Installing | undefined;

  constructor(options: ActivatorOptions) {
    this.options = options;
  }

  /** Call it before the first activation. */
  installBy(installing: Installing): void {
    this.#installing = installing;
  }

  async activate(bundle: Bundle, neighbours: Neighbours, taken: ReadonlyMap<string, string>): Promise<Running> {
    const { services, cells } = this.options;
    const running = new Running(bundle, services.clock.iso());
    try {
      await this.#run(running, neighbours);
      assertOperations(running, taken);
      assertSocketNames(running, neighbours);
      assertListed(running);
      running.draft.seal();
      const { extension, version, draft } = running;
      const operations = [...draft.operations.values()];
      if (cells) running.cell = await cells.build({ extension, version, operations, doors: draft.doors, socket: draft });
      // Before anybody sees it: what is emitted as soon as it is there is heard by it.
      if (services.background) await this.options.listeners.register(extension, newTopics(running, neighbours.find(extension)));
      running.activated();
      services.log.debug('activated', { extension: running.extension, version: running.version });
      return running;
    } catch (fault) {
      running.stopping('removed');
      await running.owned.dispose();
      if (isFailure(fault)) throw fault;
      const reason = fault instanceof Error ? fault.message : String(fault);
      throw fail('extension_failed', `Extension '${running.extension}' ${running.version} failed to start: ${reason}`, { cause: fault });
    }
  }

  /** Ends a version that was activated and will never be seen. */
  async discard(running: Running): Promise<void> {
    running.stopping('removed');
    await running.owned.dispose();
    if (running.cell !== undefined) await this.options.cells?.stop(running.cell);
  }

  async #run(running: Running, neighbours: Neighbours): Promise<void> {
    assert(this.#installing, 'Nothing installs yet');
    const extension = running.bundle.evaluate();
    if (extension.migrations) await this.options.services.data.migrate(running.extension, extension.migrations);
    running.deactivate = (reason) => extension.deactivate?.(reason);
    const context = createContext(running, { ...this.options.services, ...this.#installing }, neighbours);
    await within(activate_limit_ms, Promise.resolve(extension.activate(context)), () => {
      throw new Error(`activate() took longer than ${activate_limit_ms / 1000} s`);
    });
  }
}

function assertOperations({ draft, bundle, extension }: Running, taken: ReadonlyMap<string, string>): void {
  const claims = bundle.manifest.claims ?? [];
  for (const { id, operation } of draft.operations.values()) {
    const owner = taken.get(id);
    if (owner) throw fail('extension_conflict', `Extension '${extension}' exposes the operation '${id}', which belongs to '${owner}'`);
    assertClaimed(operation.path, claims, extension);
    if (bundle.plugin) assertNamed(id, extension);
  }
  for (const { door } of draft.doors) assertClaimed(door.path, claims, extension);
  const declared = bundle.manifest.contributes?.operations ?? (bundle.plugin && {});
  if (!declared) return;
  const differing = [...draft.operations.keys()].filter((id) => !Object.hasOwn(declared, id));
  differing.push(...Object.keys(declared).filter((id) => !draft.operations.has(id)));
  if (differing.length > 0) {
    throw fail('extension_failed', `Extension '${extension}' exposes other operations than its manifest lists: ${differing.join(', ')}`);
  }
}

/** Reviewers saw the manifest of a third party: what it registers is what that lists, and one that lists nothing allows nothing. */
function assertListed({ draft, bundle: { plugin, manifest }, extension }: Running): void {
  if (!plugin) return;
  const { topics = [], channels = [] } = manifest.contributes ?? {};
  const registered = (draft.slots.get(channelSlot) ?? []).map((channel) => (channel as { name: string }).name);
  const kinds = {
    topics: [
      [...draft.topics].map(([name, readers]) => `${name} (${String(readers)})`),
      topics.map(({ name, readers }) => `${name} (${String(readers)})`),
    ],
    channels: [registered, channels],
  } as const;
  for (const [kind, [found, listed]] of Object.entries(kinds)) {
    const differing = [...found.filter((name) => !listed.includes(name)), ...listed.filter((name) => !found.includes(name))];
    if (differing.length === 0) continue;
    throw fail('extension_failed', `Extension '${extension}' has other ${kind} than its manifest lists: ${differing.join(', ')}`);
  }
}

function assertClaimed(path: string, claims: readonly string[], extension: string): void {
  if (claims.some((claim) => path === claim || path.startsWith(`${claim}/`))) return;
  throw fail('extension_conflict', `Extension '${extension}' exposes ${path}, which lies outside the paths that it claims`);
}

/** Topics that the replaced version does not listen to. */
function newTopics({ draft }: Running, before: Running | undefined): string[] {
  const heard = new Set(before?.draft.listeners.map(({ topic }) => topic));
  return draft.listeners.flatMap(({ topic }) => (heard.has(topic) ? [] : [topic]));
}

/** A third party's operations are named after it: so none waits under another's name. */
function assertNamed(id: string, extension: string): void {
  if (id.startsWith(`${extension}.`)) return;
  throw fail('extension_conflict', `Plugin '${extension}' exposes the operation '${id}', but a plugin's begin with '${extension}.'`);
}

/** Frame types and topics at `/ws` have one owner each. */
function assertSocketNames({ draft, extension }: Running, neighbours: Neighbours): void {
  const others = [...neighbours.all()].filter((other) => other.extension !== extension);
  for (const kind of ['topics', 'frames'] as const) {
    for (const name of draft[kind].keys()) {
      const owner = kernelNames[kind].includes(name) ? 'kernel' : others.find((other) => other.draft[kind].has(name))?.extension;
      if (owner)
        throw fail('extension_conflict', `Extension '${extension}' registers '${name}' under ${kind}, which belongs to '${owner}'`);
    }
  }
}

/** Work beside the requests: listeners and repeated work. */
export const background = {
  async start(running: Running, { options }: Activator): Promise<void> {
    const { services, listeners, repeats } = options;
    for (const { repeat, work } of running.draft.jobs) {
      if (!services.background && !repeat.always) continue;
      running.stops.push(repeats.start(running.extension, repeat, work));
    }
    if (!services.background) return;
    for (const listener of running.draft.listeners) running.stops.push(await listeners.start(running.extension, listener));
  },

  async stop(running: Running, reason: StopReason, { options }: Activator): Promise<void> {
    running.stopping(reason);
    const stops = running.stops.splice(0).map((stop) => stop());
    const ended = await endsWithin(limits_ms[reason].deactivate, Promise.allSettled(stops));
    if (!ended) options.services.log.warn(`Background work of '${running.extension}' ${running.version} did not end in time`);
  },
};

/** Drains a stopped version and releases all that it owned. Its background work has ended before. */
export async function retire(running: Running, reason: StopReason, { options }: Activator): Promise<Receipt> {
  const { services, cells } = options;
  const { settle, drain, deactivate } = limits_ms[reason];
  await running.settled(settle);
  // The last events of the work have reached the streams, which count as calls under way.
  if (reason !== 'replaced') cells?.stopStreams(running.extension);
  const drained = await running.drained(drain);
  const abandoned = drained ? 0 : running.calls;
  const faults: unknown[] = [];
  const deactivated = Promise.resolve()
    .then(() => running.deactivate(reason))
    .catch((fault: unknown) => faults.push(fault));
  if (!(await endsWithin(deactivate, deactivated))) faults.push(new Error('deactivate() did not end in time'));
  faults.push(...(await running.owned.dispose()));
  if (running.cell !== undefined) await cells?.stop(running.cell).catch((fault: unknown) => faults.push(fault));
  running.stopped();
  const sentences = faults.map((fault) => (fault instanceof Error ? fault.message : String(fault)));
  if (abandoned > 0 || sentences.length > 0) {
    services.log.warn(`Extension '${running.extension}' ${running.version} did not stop cleanly`, { abandoned, faults: sentences });
  }
  const { draft } = running;
  const operations = [...draft.operations.values()];
  return {
    operations: operations.length,
    actions: operations.filter(({ operation }) => operation.schedulable).length,
    tools: operations.filter(({ operation }) => operation.tool).length,
    subscriptions: draft.listeners.length + draft.takers.length,
    abandoned,
    faults: sentences,
  };
}
