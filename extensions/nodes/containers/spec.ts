import type { ContainerCreateOptions, NetworkCreateOptions } from 'dockerode';
import type { StoredNode } from '../store/stored.js';
import { imageOf } from './image.js';
import { labels, labelsOf, nameOf } from './labels.js';
import { amountOf, cpuOf, memoryOf } from './limits.js';

/** Where a node's volume is. */
export const workspace = '/workspace';
/** How long a container has to end by itself, in seconds. */
export const stop_s = 10;

const pids = 512;
/** Sleeps for ever; where an image has no `sleep`, it waits for a line that never comes. */
const keepAlive = ['/bin/sh', '-c', 'command -v sleep >/dev/null 2>&1 && exec sleep 2147483647; read _'];
/** What root in the container needs to keep members' folders and processes apart, and no more. */
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'];

export interface SpecOptions {
  /** The installation's UUID. */
  platform: string;
  /** Name servers; empty: the engine's. */
  dns: readonly string[];
  /** Whether its image has a shell that keeps it alive; else its own program must. */
  shell: boolean;
}

/** The work container, as it is asked of an engine. */
export function containerOf(node: StoredNode, { platform, dns, shell }: SpecOptions): ContainerCreateOptions {
  const { config } = node;
  const name = nameOf(platform, node);
  const memory = amountOf(memoryOf(config.memory_limit));
  const volume = { Labels: labelsOf(platform, node), NoCopy: false, DriverConfig: { Name: 'local', Options: {} } };
  const image = imageOf(config.image);
  if ('fault' in image) throw new Error(image.fault.message);
  return {
    name,
    Image: image.reference,
    Hostname: `node-${node.id}`,
    Labels: { ...labelsOf(platform, node), [labels.role]: 'work' },
    WorkingDir: workspace,
    OpenStdin: true,
    StopTimeout: stop_s,
    ...(shell ? { Entrypoint: keepAlive, Cmd: [] } : {}),
    HostConfig: {
      Init: true,
      Memory: memory,
      MemorySwap: memory,
      NanoCpus: amountOf(cpuOf(config.cpu_limit)),
      PidsLimit: pids,
      CapDrop: ['ALL'],
      CapAdd: capabilities,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      PublishAllPorts: false,
      RestartPolicy: { Name: 'unless-stopped' },
      // What stays of its work when it is made anew.
      Mounts: [{ Type: 'volume', Source: name, Target: workspace, ReadOnly: false, VolumeOptions: volume }],
      // It joins its network once it runs: that takes as long as all else, and nobody works before its walls stand.
      NetworkMode: 'none',
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '2' } },
      ...(config.network === 'internet' && dns.length > 0 ? { Dns: [...dns] } : {}),
    },
  };
}

/** Its network: a bridge of its own. */
export function networkOf(node: StoredNode, platform: string, subnet?: string): NetworkCreateOptions {
  return {
    Name: nameOf(platform, node),
    Driver: 'bridge',
    CheckDuplicate: true,
    EnableIPv6: false,
    Labels: labelsOf(platform, node),
    ...(subnet === undefined ? {} : { IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } }),
  };
}

/** Whether a container is kept alive by its image's shell. */
export function hasKeepAlive(entrypoint: readonly string[] | string | null | undefined): boolean {
  return JSON.stringify(entrypoint) === JSON.stringify(keepAlive);
}
