import type Docker from 'dockerode';
import { type Context, type Extension, within } from '../../kernel/contract/index.js';
import { codes, fail } from './codes.js';
import type { Reaper } from './containers/reaper.js';
import type { NodeStatus, Nodes, NodesService } from './contract.js';
import { Engines } from './engines/engines.js';
import { handlersOf } from './handlers.js';
import { lifeOf } from './life.js';
import { migration } from './migrations/0001-nodes.js';
import { migration as watchMigration } from './migrations/0002-watch.js';
import { defineModels } from './models.js';
import { attachMonitor } from './monitor/attach.js';
import { operations } from './operations.js';
import { Service } from './service.js';
import { NodeStore } from './store/nodes.js';
import type { StoredNode } from './store/stored.js';
import { workHandlers } from './work/handlers.js';
import { workOf } from './work/work.js';

/** What other extensions ask of nodes. */
function forSiblings(nodes: NodeStore, { furnisher }: { furnisher: Pick<NodesService, 'furnish'> }): NodesService {
  return {
    // One that goes takes nobody any more.
    exists: async (id) => ((await nodes.find(id))?.status ?? 'removing') !== 'removing',
    statuses: async (ids) => new Map<number, NodeStatus>((await nodes.byIds(ids)).map(({ id, status }) => [id, status])),
    readiness: async (ids) => new Map((await nodes.byIds(ids)).map((stored) => [stored.id, readinessOf(stored)])),
    furnish: (wanted, signal) => furnisher.furnish(wanted, signal),
  };
}

function readinessOf({ status, draining }: StoredNode): 'ready' | 'node_offline' | 'node_draining' {
  if (status !== 'online') return 'node_offline';
  return draining ? 'node_draining' : 'ready';
}

/** How long a registration waits for an engine, in ms. */
const patience_ms = 3_000;

/** Fails with `engine_unavailable` if an engine says nothing for three seconds, and with what is wrong if it can't be asked. */
async function answers(docker: Docker): Promise<void> {
  await within<unknown>(patience_ms, docker.ping(), () => {
    throw fail('engine_unavailable', 'Its engine has not answered yet');
  });
}

const hour_ms = 3_600_000;
const soon_ms = 90_000;
/** What instances tell each other: a node is deleted. */
const stopped = 'nodes.stop';

interface Settings {
  image: string;
  guard_image: string;
  dns: readonly string[];
  /** The settings `docker_host` and `docker_cert_path` of the whole. */
  docker_host: string;
  docker_cert_path: string;
}

async function activate(ctx: Context<Nodes>): Promise<void> {
  const { db, clock, log, secrets, bus } = ctx;
  const { image, guard_image, dns, docker_host, docker_cert_path } = ctx.config as unknown as Settings;
  const models = defineModels(db);
  const nodes = new NodeStore(db, models);
  const engines = ctx.own(new Engines({ local: docker_host, certificates: docker_cert_path }));
  ctx.topic('nodes', 'admin');
  const platform = await nodes.platform();
  const prepare = (node: StoredNode) => {
    const walled = work.places.made(node).then((place) => work.walls.ensure(place));
    // Whoever works there tries again, and whoever watches the nodes.
    ctx.track(walled.catch((err: unknown) => log.warn('The walls of a work node could not be set up yet', { id: node.id, err })));
  };
  const life = lifeOf(ctx, { nodes, engines, platform, dns, prepare });
  const { maker, remover, reaper, docker, changes } = life;
  const work = workOf(ctx, { nodes, engines, changes, platform, guard_image });
  const vitals = attachMonitor(ctx, { ...life, nodes, models, engines, platform, prepare });
  ctx.own({ dispose: await bus.subscribe(stopped, ({ id }: { id: number }) => maker.jobs.stop(id)) });
  await maker.jobs.recover();
  await remover.jobs.recover();
  compareOften(ctx, reaper);
  ctx.metric('running_works', 'Work nodes that are being made or removed by this process', () => maker.jobs.running + remover.jobs.running);

  const ping = async (node: StoredNode) => answers(await docker(node));
  const stop = (id: number) => void bus.publish(stopped, { id }).catch(() => undefined);
  const service = new Service({ ...life, db, clock, secrets, nodes, image, ping, stop, about: (id) => ctx.about(id) });
  ctx.provide(forSiblings(nodes, work));
  const handlers = { ...handlersOf({ service, events: life.events, vitals }), ...workHandlers(work) };
  ctx.expose(operations, handlers, codes);
}

/** Compares engines and table: every hour, and soon again where something may have been forgotten there. */
function compareOften(ctx: Context<Nodes>, reaper: Reaper): void {
  let due = 0;
  ctx.every({ name: 'reaper', every_ms: 2_000 }, async () => {
    if (performance.now() < due) return;
    due = performance.now() + ((await reaper.reap()) ? soon_ms : hour_ms);
  });
}

export default { migrations: [migration, watchMigration], activate } satisfies Extension<Nodes>;
