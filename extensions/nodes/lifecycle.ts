import type Docker from 'dockerode';
import type { Context } from '../../kernel/contract/index.js';
import { Changes } from './changes.js';
import { Creation } from './containers/creation.js';
import { NodeCreator, type NodeCreatorParts } from './containers/creator.js';
import { NodeDeletion } from './containers/deletion.js';
import { Pulls } from './containers/pulls.js';
import { Reaper } from './containers/reaper.js';
import { NodeRemover } from './containers/remover.js';
import type { Nodes } from './contract.js';
import { addressOf } from './engines/address.js';
import type { Engines } from './engines/engines.js';
import { NodeEvents } from './events.js';
import { topic } from './pushed-frames.js';
import { recordOf } from './record.js';
import type { NodeStore } from './store/nodes.js';
import type { StoredNode } from './store/stored.js';

/** Parts that create, change and remove nodes. */
export interface NodeLifecycle {
  changes: Changes;
  events: NodeEvents;
  departures: NodeDeletion;
  maker: NodeCreator;
  remover: NodeRemover;
  reaper: Reaper;
  /** Returns the client of a node's engine. */
  docker: (node: Pick<StoredNode, 'host' | 'config' | 'sealed'>) => Promise<Docker>;
}

interface NodeLifecycleOptions {
  nodes: NodeStore;
  engines: Engines;
  /** Installation's UUID. */
  platform: string;
  /** The setting `nodes.dns`. */
  dns: readonly string[];
  prepare: NodeCreatorParts['prepare'];
}

/** Creates the parts that create, change and remove nodes. */
export function openLifecycle(ctx: Context<Nodes>, { nodes, engines, platform, dns, prepare }: NodeLifecycleOptions): NodeLifecycle {
  const { db, clock, log, secrets, journal } = ctx;
  const record = (stored: StoredNode) => recordOf(stored, secrets);
  const docker: NodeLifecycle['docker'] = (node) => engines.at(addressOf(node, secrets));
  const find = async (id: number) => {
    const stored = await nodes.find(id);
    return stored && record(stored);
  };
  const events = new NodeEvents({ journal, log, find });
  const push = (type: string, data: object) => ctx.push({ topic }, { type, data });
  const broadcast = (stored: StoredNode) => {
    push('node.updated', { node: record(stored) });
    events.updated(record(stored));
  };
  const changes = new Changes({ db, clock, nodes, broadcast: broadcast, emit: (change) => ctx.emit('nodes.changed', change) });
  const broadcastRemoved = (id: number) => {
    push('node.removed', { id });
    events.removed(id);
  };
  const departures = new NodeDeletion({
    db,
    nodes,
    changes,
    broadcastRemoved: broadcastRemoved,
    emit: (deleted) => ctx.emit('nodes.deleted', deleted),
  });
  const common = { nodes, changes, work: ctx.work, departures, log, platform, docker };
  const progress: NodeCreatorParts['progress'] = (node, pulled) => {
    push('node.updated', { node: record({ ...node, status: 'creating' }), progress: pulled });
    events.progress(node.id, pulled);
  };
  const creation = new Creation({ platform, dns, pulls: new Pulls() });
  return {
    changes,
    events,
    departures,
    docker,
    maker: new NodeCreator({ ...common, creation, prepare, progress, now: () => clock.iso() }),
    remover: new NodeRemover(common),
    reaper: new Reaper({ nodes, changes, log, platform, docker }),
  };
}
