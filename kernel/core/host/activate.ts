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
import { pagesOf } from './pages.js';
import type { Receipt } from './receipt.js';
import { Running } from './running.js';
import { kernelNames } from './socket-names.js';

const activate_limit_ms = 30_000;
/** Time limits of the steps of a stop. The whole process has 10 s to exit. */
const limits_ms = {
  replaced: { settle: undefined, drain: 10_000, deactivate: 5_000 },
  removed: { settle: 8_000, drain: 10_000, deactivate: 5_000 },
  shutdown: { settle: 4_000, drain: 2_000, deactivate: 1_000 },
} as const satisfies Record<StopReason, { settle: number | undefined; drain: number; deactivate: number }>;

/** Builds and stops the HTTP side of extensions. A process without HTTP has none. */
export interface Cells {
  build(content: CellContent): Promise<Cell>;
  stop(cell: Cell): Promise<void>;
  /** Ends the open streams of an extension with a last event. */
  stopStreams(extension: string): void;
}

/** Services of the installer, set later because the installer needs the host, which needs the activator. */
export type Installing = Pick<Services, 'extensions' | 'itself'>;

export interface ActivatorOptions {
  services: Omit<Services, keyof Installing>;
  listeners: Listeners;
  repeats: Repeats;
  cells: Cells | undefined;
}

/** Runs the code of an extension and builds its HTTP side before anything is published. */
export class Activator {
  readonly options: ActivatorOptions;
  #installing: Installing | undefined;

  constructor(options: ActivatorOptions) {
    this.options = options;
  }

  /** Sets the installer. Call it before the first activation. */
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
      assertMatchesManifest(running);
      running.draft.seal();
      const { extension, version, draft } = running;
      const operations = [...draft.operations.values()];
      const site = draft.site && { site: draft.site, pages: () => pagesOf(neighbours.all()) };
      if (cells) running.cell = await cells.build({ extension, version, operations, doors: draft.doors, socket: draft, site });
      // Before publication, so that no event emitted right after it is missed.
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

  /** Releases a version that was activated but will not be published. */
  async discard(running: Running): Promise<void> {
    running.stopping('removed');
    await running.owned.dispose();
    if (running.cell !== undefined) await this.options.cells?.stop(running.cell);
  }

  async #run(running: Running, neighbours: Neighbours): Promise<void> {
    assert(this.#installing, 'installBy() must be called first');
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
    if (bundle.plugin) assertNamePrefix(id, extension);
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

/** Fails unless a plugin registers exactly the topics and channels of its manifest, because reviewers approved only that manifest. */
function assertMatchesManifest({ draft, bundle: { plugin, manifest }, extension }: Running): void {
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
  throw fail('extension_conflict', `Extension '${extension}' exposes ${path}, which is outside the paths that it claims`);
}

/** Returns topics that the replaced version does not listen to. */
function newTopics({ draft }: Running, before: Running | undefined): string[] {
  const heard = new Set(before?.draft.listeners.map(({ topic }) => topic));
  return draft.listeners.flatMap(({ topic }) => (heard.has(topic) ? [] : [topic]));
}

/** Fails unless a plugin's operation carries its id as prefix, so that no plugin can use another's names. */
function assertNamePrefix(id: string, extension: string): void {
  if (id.startsWith(`${extension}.`)) return;
  throw fail(
    'extension_conflict',
    `Plugin '${extension}' exposes the operation '${id}', but its operations must begin with '${extension}.'`,
  );
}

/** Fails if another extension owns one of these frame types or topics of `/ws`. */
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

/** Starts and stops listeners and repeated jobs. */
export const background = {
  async start(running: Running, { options }: Activator): Promise<void> {
    const { services, listeners, repeats } = options;
    for (const { repeat, work } of running.draft.jobs) {
      if (!services.background && !repeat.always) continue;
      running.stops.push(repeats.start(running.extension, repeat, work));
    }
    if (!services.background) return;
    const { extension } = running;
    const log = services.logs.remembering(extension, services.log.child({ extension }));
    for (const listener of running.draft.listeners) running.stops.push(await listeners.start(extension, listener, log));
  },

  async stop(running: Running, reason: StopReason, { options }: Activator): Promise<void> {
    running.stopping(reason);
    const stops = running.stops.splice(0).map((stop) => stop());
    const ended = await endsWithin(limits_ms[reason].deactivate, Promise.allSettled(stops));
    if (!ended) options.services.log.warn(`Background work of '${running.extension}' ${running.version} did not end in time`);
  },
};

/** Drains a stopped version and releases everything that it owned. Its background work must have ended. */
export async function retire(running: Running, reason: StopReason, { options }: Activator): Promise<Receipt> {
  const { services, cells } = options;
  const { settle, drain, deactivate } = limits_ms[reason];
  await running.settled(settle);
  // The work has ended, so its last events have reached the streams; open streams count as running calls.
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
    subscriptions: draft.listeners.length + draft.transactionalListeners.length,
    abandoned,
    faults: sentences,
  };
}
