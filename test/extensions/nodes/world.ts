import type Docker from 'dockerode';
import type { Test } from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import type { Node, NodeStatus, NodesApi } from '../../../extensions/nodes/contract.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { images, startDocker, type TestDocker } from '../../helpers/docker/engine.js';
import { until } from '../../helpers/eventually.js';
import { callerOf, ownExtension, type PlatformOptions, startPlatform, type TestPlatform } from '../../helpers/platform.js';

export type NodesClient = Client<NodesApi & MembersApi>;

export interface World {
  engine: TestDocker;
  docker: Docker;
  platform: TestPlatform;
  /** The administrator, without a network. */
  admin: NodesClient;
}

/** Settings under which nodes are made on an engine. */
export const settingsOf = (engine: Pick<TestDocker, 'url'>) => ({
  docker_host: engine.url,
  'nodes.image': images.busybox,
  'nodes.guard_image': images.busybox,
});

/** A platform whose local engine is the test's own. */
export async function startWorld(t: Test, options: PlatformOptions = {}): Promise<World> {
  const engine = await startDocker(t);
  const platform = await startOn(t, engine, options);
  return { engine, docker: engine.docker, platform, admin: clientOf(platform) };
}

export function startOn(t: Test, engine: Pick<TestDocker, 'url'>, { settings, ...options }: PlatformOptions = {}): Promise<TestPlatform> {
  const extensions = ['members', 'nodes'].map(ownExtension);
  return startPlatform(t, { extensions, ...options, settings: { ...settingsOf(engine), ...settings } });
}

export function clientOf({ kernel }: TestPlatform, caller = callerOf()): NodesClient {
  return connect<NodesApi & MembersApi>(kernel.operations(), direct(kernel, caller));
}

/** The node, once it has that status. */
export function becomes(client: Pick<NodesClient, 'nodes'>, id: number, status: NodeStatus, limit_ms = 20_000): Promise<Node> {
  return until(
    () => client.nodes.get({ id }),
    (node) => node.status === status,
    limit_ms,
  );
}

/** The node, once it has its network and the walls of that. */
export function walled(client: NodesClient, id: number): Promise<Node> {
  return until(
    () => client.nodes.get({ id }),
    ({ walls }) => walls.fenced,
    20_000,
  );
}

/** The labelled containers, networks and volumes that an engine has, by name. */
export async function leftOn(docker: Docker): Promise<string[]> {
  const filters = { label: ['platform.id'] };
  const containers = (await docker.listContainers({ all: true, filters })).map(({ Names }) => `container ${Names[0]}`);
  const networks = (await docker.listNetworks({ filters })).map(({ Name }) => `network ${Name}`);
  const volumes = ((await docker.listVolumes({ filters })).Volumes ?? []).map(({ Name }) => `volume ${Name}`);
  return [...containers, ...networks, ...volumes].sort();
}
