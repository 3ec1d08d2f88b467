import type { ContainerCreateOptions, NetworkCreateOptions } from 'dockerode';
import type { StoredNode } from '../store/stored.js';
import { imageOf } from './image.js';
import { labels, labelsOf, nameOf } from './labels.js';
import { amountOf, cpuOf, memoryOf } from './limits.js';

/** Mount point of a node's volume. */
export const workspace = '/workspace';
/** Grace period of a container to stop by itself, in seconds. */
export const stop_s = 10;

const pids = 512;
/** Sleeps for ever; if an image has no `sleep`, waits for a line that never comes. */
const keepAlive = ['/bin/sh', '-c', 'command -v sleep >/dev/null 2>&1 && exec sleep 2147483647; read _'];
/** Capabilities that root in the container needs to separate members' folders and processes; no others. */
const capabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'];

export interface SpecOptions {
  /** Installation's UUID. */
  platform: string;
  /** Name servers; empty means the engine's. */
  dns: readonly string[];
  /** Whether the image's shell keeps the container alive; otherwise its own program must. */
  shell: boolean;
}

/** Builds the engine's options for the work container. */
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
      // Survives a recreation of the container.
      Mounts: [{ Type: 'volume', Source: name, Target: workspace, ReadOnly: false, VolumeOptions: volume }],
      // It joins its network after the start: joining takes as long as everything else, and nobody works before the walls stand.
      NetworkMode: 'none',
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '2' } },
      ...(config.network === 'internet' && dns.length > 0 ? { Dns: [...dns] } : {}),
    },
  };
}

/** Builds the options of its own bridge network. */
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

/** Returns whether the image's shell keeps a container alive. */
export function hasKeepAlive(entrypoint: readonly string[] | string | null | undefined): boolean {
  return JSON.stringify(entrypoint) === JSON.stringify(keepAlive);
}
