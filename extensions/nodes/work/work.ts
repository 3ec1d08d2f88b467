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
import { CommandFailureRecorder } from './command-failure-recorder.js';
import { CommandRunner } from './command-runner.js';
import { FileCopier } from './furnishing/file-copier.js';
import { killOutside } from './killing-outside.js';
import type { NodeContainer } from './node-container.js';
import { NodeContainers } from './node-containers.js';
import { NodeTools } from './tools/provider.js';
import { Walls, type WallsParts } from './walls/walls.js';

/** Parts for working in containers. */
export interface WorkParts {
  places: NodeContainers;
  execs: CommandRunner;
  walls: Walls;
  archives: Archives;
  copier: FileCopier;
}

interface WorkOptions {
  nodes: NodeStore;
  engines: Engines;
  changes: Changes;
  /** Installation's UUID. */
  platform: string;
  /** The setting `nodes.guard_image`. */
  guard_image: string;
}

const pull_ms = 60_000;

/** Creates the parts for working in containers, and contributes the tools of AI employees. */
export function workOf(ctx: Context<Nodes>, { nodes, engines, changes, platform, guard_image: image }: WorkOptions): WorkParts {
  const { log, secrets } = ctx;
  const guardLabels = (node: StoredNode) => ({ ...labelsOf(platform, node), [labels.role]: 'guard' });
  const places = new NodeContainers({ nodes, engines, secrets });
  const keep: WallsParts['keep'] = async (id, to) => {
    const isChanged = ({ walls, started_at }: StoredNode) =>
      walls.fenced !== to.walls.fenced || walls.reason !== to.walls.reason || started_at !== to.started_at;
    await changes.move(id, { where: isChanged, to });
  };
  const join: WallsParts['join'] = ({ docker, node, container }) => joinNetwork(docker, node, { platform, container: container.id });
  const guard = { image, labels: guardLabels, pull: imagePuller(), log };
  const walls = new Walls({ ...guard, local: engines.local, join, keep });
  const execs = new CommandRunner({ fence: walls, killer: killOutside(guard), troubles: new CommandFailureRecorder({ log, changes }) });
  const tools: ToolSlot = 'agents.tools';
  ctx.contribute(tools, new NodeTools({ nodes, places, execs }));
  return { places, execs, walls, archives: new Archives(), copier: new FileCopier({ nodes, places, execs }) };
}

function imagePuller(): WallsParts['pull'] {
  const pulls = new Pulls({ total_ms: pull_ms });
  return async ({ docker, node }: NodeContainer, reference, signal) => {
    const image = imageOf(reference);
    if ('fault' in image) throw new Error(image.fault.message);
    await pulls.ensure({ docker, host: node.host, image, signal, onProgress: () => undefined });
  };
}
