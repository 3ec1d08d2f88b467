import type Docker from 'dockerode';
import type { Context } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import type { Nodes } from '../contract.js';
import type { Engines } from '../engines/engines.js';
import type { Models } from '../models.js';
import { statuses } from '../shapes.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import { WatchLease } from '../store/watch-sql.js';
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
  /** Installation's UUID. */
  platform: string;
  /** Returns the client of a node's engine. */
  docker: (node: StoredNode) => Promise<Docker>;
  /** Starts what must be done to a restarted container, unless it is done already. */
  prepare: (node: StoredNode) => void;
}

const probe_every_ms = 15_000;
const lead_every_ms = 5_000;
const walls_every_ms = 30_000;

/** Monitors the nodes while the extension runs; returns the queries about single nodes. */
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
  const watch = new WatchLease(db, models.watch, { owner: ctx.instance });
  const monitor = ctx.own(new Monitor({ nodes, watch, recorder, samples, clock, log, platform, docker }));
  ctx.signal.addEventListener('abort', () => monitor.stopWatching());
  ctx.every({ name: 'watch', every_ms: lead_every_ms }, () => monitor.renewWatch());
  // Finish work left by a killed process, and retry what failed: the walls decide when it is time.
  ctx.every({ name: 'walls', every_ms: walls_every_ms }, async () => {
    if (!monitor.isWatcher) return;
    for (const node of await nodes.all()) if (node.status === 'online' && !node.walls.fenced) prepare(node);
  });
  ctx.every({ name: 'probe', every_ms: probe_every_ms }, () => monitor.round());
  for (const status of statuses)
    ctx.metric(status, `Work nodes with status ${status}`, async () => (await nodes.page({ status, limit: 1, offset: 0 })).total);
  attachChecks(ctx, { nodes, engines, docker });
  return new Vitals({ clock, samples, docker });
}
