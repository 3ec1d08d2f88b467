import type { Context, ToolSlot } from '../../../kernel/contract/index.js';
import type { Changes } from '../changes.js';
import { imageOf } from '../containers/image.js';
import { labels, labelsOf } from '../containers/labels.js';
import { joinNetwork } from '../containers/network.js';
import { Pulls } from '../containers/pulls.js';
import type { Nodes } from '../contract.js';
import type { Engines } from '../engines/engines.js';
import type { NodeStore } from '../store/nodes.js';
import type { StoredNode } from '../store/stored.js';
import { Archives } from './admin/archive.js';
import { Execs } from './execs.js';
import { Furnisher } from './furnishing/furnisher.js';
import { killOutside } from './killing-outside.js';
import type { Place } from './place.js';
import { Places } from './places.js';
import { NodeTools } from './tools/provider.js';
import { Troubles } from './troubles.js';
import { Walls, type WallsParts } from './walls/walls.js';

/** Of what working in containers is made. */
export interface WorkParts {
  places: Places;
  execs: Execs;
  walls: Walls;
  archives: Archives;
  furnisher: Furnisher;
}

interface WorkOptions {
  nodes: NodeStore;
  engines: Engines;
  changes: Changes;
  /** The installation's UUID. */
  platform: string;
  /** The setting `nodes.guard_image`. */
  guard_image: string;
}

const pull_ms = 60_000;

/** Puts together what works in containers, and gives AI employees their tools for it. */
export function workOf(ctx: Context<Nodes>, { nodes, engines, changes, platform, guard_image: image }: WorkOptions): WorkParts {
  const { log, secrets } = ctx;
  const guardLabels = (node: StoredNode) => ({ ...labelsOf(platform, node), [labels.role]: 'guard' });
  const places = new Places({ nodes, engines, secrets });
  const keep: WallsParts['keep'] = async (id, to) => {
    const news = ({ walls, started_at }: StoredNode) =>
      walls.fenced !== to.walls.fenced || walls.reason !== to.walls.reason || started_at !== to.started_at;
    await changes.move(id, { where: news, to });
  };
  const join: WallsParts['join'] = ({ docker, node, container }) => joinNetwork(docker, node, { platform, container: container.id });
  const guard = { image, labels: guardLabels, pull: fetcher(), log };
  const walls = new Walls({ ...guard, local: engines.local, join, keep });
  const execs = new Execs({ fence: walls, killer: killOutside(guard), troubles: new Troubles({ log, changes }) });
  const tools: ToolSlot = 'agents.tools';
  ctx.contribute(tools, new NodeTools({ nodes, places, execs }));
  return { places, execs, walls, archives: new Archives(), furnisher: new Furnisher({ nodes, places, execs }) };
}

function fetcher(): WallsParts['pull'] {
  const pulls = new Pulls({ whole_ms: pull_ms });
  return async ({ docker, node }: Place, reference, signal) => {
    const image = imageOf(reference);
    if ('fault' in image) throw new Error(image.fault.message);
    await pulls.ensure({ docker, host: node.host, image, signal, told: () => undefined });
  };
}
