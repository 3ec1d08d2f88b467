import type Docker from 'dockerode';
import type { Context } from '../../kernel/contract/index.js';
import { Changes } from './changes.js';
import { Creation } from './containers/creation.js';
import { Departures } from './containers/departures.js';
import { Maker, type MakerParts } from './containers/maker.js';
import { Pulls } from './containers/pulls.js';
import { Reaper } from './containers/reaper.js';
import { Remover } from './containers/remover.js';
import type { Nodes } from './contract.js';
import { addressOf } from './engines/address.js';
import type { Engines } from './engines/engines.js';
import { Events } from './events.js';
import { recordOf } from './record.js';
import type { NodeStore } from './store/nodes.js';
import type { StoredNode } from './store/stored.js';

/** Of what a node's life is made. */
export interface Life {
  changes: Changes;
  events: Events;
  departures: Departures;
  maker: Maker;
  remover: Remover;
  reaper: Reaper;
  /** The client of a node's engine. */
  docker: (node: Pick<StoredNode, 'host' | 'config' | 'sealed'>) => Promise<Docker>;
}

interface LifeOptions {
  nodes: NodeStore;
  engines: Engines;
  /** The installation's UUID. */
  platform: string;
  /** The setting `nodes.dns`. */
  dns: readonly string[];
  prepare: MakerParts['prepare'];
}

/** Puts together what makes, changes and removes nodes. */
export function lifeOf(ctx: Context<Nodes>, { nodes, engines, platform, dns, prepare }: LifeOptions): Life {
  const { db, clock, log, secrets, journal } = ctx;
  const record = (stored: StoredNode) => recordOf(stored, secrets);
  const docker: Life['docker'] = (node) => engines.at(addressOf(node, secrets));
  const find = async (id: number) => {
    const stored = await nodes.find(id);
    return stored && record(stored);
  };
  const events = new Events({ journal, log, find });
  const push = (type: string, data: object) => ctx.push({ topic: 'nodes' }, { type, data });
  const told = (stored: StoredNode) => {
    push('node.updated', { node: record(stored) });
    events.updated(record(stored));
  };
  const changes = new Changes({ db, clock, nodes, told, emit: (change) => ctx.emit('nodes.changed', change) });
  const gone = (id: number) => {
    push('node.removed', { id });
    events.gone(id);
  };
  const departures = new Departures({ db, nodes, changes, gone, emit: (deleted) => ctx.emit('nodes.deleted', deleted) });
  const common = { nodes, changes, work: ctx.work, departures, log, platform, docker };
  const progress: MakerParts['progress'] = (node, pulled) => {
    push('node.updated', { node: record({ ...node, status: 'creating' }), progress: pulled });
    events.progress(node.id, pulled);
  };
  const creation = new Creation({ platform, dns, pulls: new Pulls() });
  return {
    changes,
    events,
    departures,
    docker,
    maker: new Maker({ ...common, creation, prepare, progress, now: () => clock.iso() }),
    remover: new Remover(common),
    reaper: new Reaper({ nodes, changes, log, platform, docker }),
  };
}
