/** Namespaces for `unshare`; `mount` is needed for `files`. */
export const namespaces = ['net', 'pid', 'mount', 'ipc', 'uts'] as const;
export type Namespace = (typeof namespaces)[number];

/** Paths of programs; undefined if this machine lacks one. */
export interface Programs {
  env: string | undefined;
  nice: string | undefined;
  unshare: string | undefined;
  setpriv: string | undefined;
  prlimit: string | undefined;
  mount: string | undefined;
  chroot: string | undefined;
  sh: string | undefined;
}

/** The isolation mechanisms available on this machine. */
export interface Mechanisms {
  programs: Programs;
  /** Another user's account (for root), a user namespace, or neither. */
  user: 'account' | 'namespace' | undefined;
  namespaces: readonly Namespace[];
  /** Whether it has its own file system, and whether `/proc` can be mounted there. */
  view: { proc: boolean } | undefined;
  permissions: boolean;
  folder: boolean;
  privileges: boolean;
  limits: boolean;
  /** Share of Node itself in the data limit, in MB: 48 for Node 20 and 22, and 560 for Node 24, most of it only reserved. */
  base_mb: number;
  lifetime: boolean;
  priority: boolean;
}
