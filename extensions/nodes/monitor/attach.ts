import type Docker from 'dockerode';
import type { Context } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import type { Nodes } from '../contract.js';
import type { Engines } from '../engines/engines.js';
import type { Models } from '../models.js';
import { statuses } from '../shapes.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import { Watch } from '../store/watch-sql.js';
import { attachChecks } from './checks.js';
import { Monitor } from './monitor.js';
import { Samples } from './samples.js';
import { StatusRecorder } from './status-recorder.js';
import { Vitals } from './vitals.js';

export interface AttachOptions {
  nodes: NodeStore;
  models: Models;
  changes: Changes;
  engines: Engines;
  /** The installation's UUID. */
  platform: string;
  /** The client of a node's engine. */
  docker: (node: StoredNode) => Promise<Docker>;
  /** Begins with what must be done to a container that was started again, unless it is done already. */
  prepare: (node: StoredNode) => void;
}

const probe_every_ms = 15_000;
const lead_every_ms = 5_000;
const walls_every_ms = 30_000;

/** Has the nodes watched as long as the extension runs; gives what tells how single ones are. */
export function attachMonitor(ctx: Context<Nodes>, { nodes, models, changes, engines, platform, docker, prepare }: AttachOptions): Vitals {
  const { db, clock, log } = ctx;
  const samples = new Samples(() => clock.now());
  const recorder = new StatusRecorder({
    clock,
    nodes,
    changes,
    emit: (incident) => ctx.emit('nodes.incident', incident),
    restarted: prepare,
  });
  const watch = new Watch(db, models.watch, { owner: ctx.instance });
  const monitor = ctx.own(new Monitor({ nodes, watch, recorder, samples, clock, log, platform, docker }));
  ctx.signal.addEventListener('abort', () => monitor.rest());
  ctx.every({ name: 'watch', every_ms: lead_every_ms }, () => monitor.lead());
  // What a process that was killed has left undone, and what could not be done: whether it is time for that the walls know.
  ctx.every({ name: 'walls', every_ms: walls_every_ms }, async () => {
    if (!monitor.leads) return;
    for (const node of await nodes.all()) if (node.status === 'online' && !node.walls.fenced) prepare(node);
  });
  ctx.every({ name: 'probe', every_ms: probe_every_ms }, () => monitor.round());
  for (const status of statuses)
    ctx.metric(status, `Work nodes that are ${status}`, async () => (await nodes.page({ status, limit: 1, offset: 0 })).total);
  attachChecks(ctx, { nodes, engines, docker });
  return new Vitals({ clock, samples, docker });
}
