import type Docker from 'dockerode';
import { type Context, type Extension, within } from '../../kernel/contract/index.js';
import { codes, fail } from './codes.js';
import type { Reaper } from './containers/reaper.js';
import type { NodeStatus, Nodes, NodesService } from './contract.js';
import { Engines } from './engines/engines.js';
import { examples } from './examples.js';
import { handlersOf } from './handlers.js';
import { openLifecycle } from './lifecycle.js';
import { migration } from './migrations/0001-nodes.js';
import { migration as watchMigration } from './migrations/0002-watch.js';
import { defineModels } from './models.js';
import { attachMonitor } from './monitor/attach.js';
import { operations } from './operations.js';
import { pushedFrames, topic } from './pushed-frames.js';
import { Service } from './service.js';
import { NodeStore } from './store/nodes.js';
import type { StoredNode } from './store/stored.js';
import { workHandlers } from './work/handlers.js';
import { workOf } from './work/work.js';

/** Builds the service for other extensions. */
function serviceOf(nodes: NodeStore, { copier }: { copier: Pick<NodesService, 'furnish'> }): NodesService {
  return {
    // A node that is being removed accepts nobody.
    exists: async (id) => ((await nodes.find(id))?.status ?? 'removing') !== 'removing',
    statuses: async (ids) => new Map<number, NodeStatus>((await nodes.byIds(ids)).map(({ id, status }) => [id, status])),
    readiness: async (ids) => new Map((await nodes.byIds(ids)).map((stored) => [stored.id, readinessOf(stored)])),
    furnish: (wanted, signal) => copier.furnish(wanted, signal),
  };
}

function readinessOf({ status, draining }: StoredNode): 'ready' | 'node_offline' | 'node_draining' {
  if (status !== 'online') return 'node_offline';
  return draining ? 'node_draining' : 'ready';
}

/** Time that a registration waits for an engine, in ms. */
const ping_timeout_ms = 3_000;

/**
 * Checks an engine. Fails with `engine_unavailable` if it doesn't answer within three seconds, or with the reason why
 * it is unreachable.
 */
async function assertAnswers(docker: Docker): Promise<void> {
  await within<unknown>(ping_timeout_ms, docker.ping(), () => {
    throw fail('engine_unavailable', 'Its engine has not answered yet');
  });
}

const hour_ms = 3_600_000;
const recheck_ms = 90_000;
/** Bus channel that announces a deletion to other instances. */
const stop_channel = 'nodes.stop';

interface Settings {
  image: string;
  guard_image: string;
  dns: readonly string[];
  /** The platform's settings `docker_host` and `docker_cert_path`. */
  docker_host: string;
  docker_cert_path: string;
}

async function activate(ctx: Context<Nodes>): Promise<void> {
  const { db, clock, log, secrets, bus } = ctx;
  const { image, guard_image, dns, docker_host, docker_cert_path } = ctx.config as unknown as Settings;
  const models = defineModels(db);
  const nodes = new NodeStore(db, models);
  const engines = ctx.own(new Engines({ local: docker_host, certificates: docker_cert_path }));
  ctx.topic(topic, 'admin');
  ctx.pushes(pushedFrames);
  const platform = await nodes.platform();
  const prepare = (node: StoredNode) => {
    const wallsReady = work.places.openCreated(node).then((place) => work.walls.ensure(place));
    // Retried by the next use, and by the monitor.
    ctx.track(wallsReady.catch((err: unknown) => log.warn('Could not set up the walls of a work node; retrying', { id: node.id, err })));
  };
  const life = openLifecycle(ctx, { nodes, engines, platform, dns, prepare });
  const { maker, remover, reaper, docker, changes } = life;
  const work = workOf(ctx, { nodes, engines, changes, platform, guard_image });
  const vitals = attachMonitor(ctx, { ...life, nodes, models, engines, platform, prepare });
  ctx.own({ dispose: await bus.subscribe(stop_channel, ({ id }: { id: number }) => maker.jobs.stop(id)) });
  await maker.jobs.recover();
  await remover.jobs.recover();
  reconcilePeriodically(ctx, reaper);
  ctx.metric('running_works', 'Work nodes that are being made or removed by this process', () => maker.jobs.running + remover.jobs.running);

  const ping = async (node: StoredNode) => assertAnswers(await docker(node));
  const stop = (id: number) => void bus.publish(stop_channel, { id }).catch(() => undefined);
  const service = new Service({ ...life, db, clock, secrets, nodes, image, ping, stop, about: (id) => ctx.about(id) });
  ctx.provide(serviceOf(nodes, work));
  const handlers = { ...handlersOf({ service, events: life.events, vitals }), ...workHandlers(work) };
  ctx.examples(examples);
  ctx.expose(operations, handlers, codes);
}

/** Reconciles engines and table every hour, or sooner if there may be young orphans. */
function reconcilePeriodically(ctx: Context<Nodes>, reaper: Reaper): void {
  let due = 0;
  ctx.every({ name: 'reaper', every_ms: 2_000 }, async () => {
    if (performance.now() < due) return;
    due = performance.now() + ((await reaper.reap()) ? recheck_ms : hour_ms);
  });
}

export default { migrations: [migration, watchMigration], activate } satisfies Extension<Nodes>;
