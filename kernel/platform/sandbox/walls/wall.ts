/**
 * Isolation layers of a plugin's process, each independent:
 * - `permissions`: Node's permission model (files, programs, workers, addons);
 * - `folder`: its bundle has been checked: real paths, no links, no addons, not owned by its user;
 * - `user`: another user (where the platform is root), else a user namespace;
 * - `network`: an empty network namespace;
 * - `processes`: a pid namespace;
 * - `files`: a file system of its own with only what it needs, read-only except for its own folder;
 * - `ipc`: namespaces for System V IPC, POSIX queues and the host's name;
 * - `privileges`: no capabilities, and no program can gain any;
 * - `limits`: memory outside of the heap, processes, open files, core dumps;
 * - `lifetime`: it ends with the platform, even if that is killed;
 * - `priority`: lower than that of other processes.
 */
export const wallNames = [
  'permissions',
  'folder',
  'user',
  'network',
  'processes',
  'files',
  'ipc',
  'privileges',
  'limits',
  'lifetime',
  'priority',
] as const;
export type WallName = (typeof wallNames)[number];

/** A layer, and whether it works on this machine. */
export interface Wall {
  wall: WallName;
  holds: boolean;
  /** Why it does not hold; empty if it does. */
  why: string;
}

/** Layers without which only trusted plugins may run: Node's permission model does not replace them. */
export const neededWalls: readonly WallName[] = ['user', 'network', 'processes', 'files'];

/** Describes what a plugin could do without each layer. */
export const riskWithout: Readonly<Record<WallName, string>> = {
  permissions: 'read and write files, and start programs',
  folder: 'reach other files through links in its bundle',
  user: "signal the platform's processes and open what belongs to its user",
  network: 'connect to this machine and to the network around the guarded fetch',
  processes: 'see and signal other processes',
  files: 'connect to local sockets by path',
  ipc: 'use shared memory and queues of other programs',
  privileges: 'keep the rights of the user that it runs as',
  limits: 'use up memory outside of its heap, processes and open files',
  lifetime: 'go on after the platform has been killed',
  priority: 'take as much of the processor as everybody else',
};
