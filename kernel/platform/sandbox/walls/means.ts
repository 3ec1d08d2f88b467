/** The namespaces that `unshare` is asked for; `mount` holds up `files`. */
export const namespaces = ['net', 'pid', 'mount', 'ipc', 'uts'] as const;
export type Namespace = (typeof namespaces)[number];

/** Programs, by their paths; undefined where this machine lacks one. */
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

/** By what the walls are built on this machine. */
export interface Means {
  programs: Programs;
  /** Another user's account (for root), a user namespace, or neither. */
  user: 'account' | 'namespace' | undefined;
  namespaces: readonly Namespace[];
  /** A file system of its own; with `/proc` where that may be mounted. */
  view: { proc: boolean } | undefined;
  permissions: boolean;
  folder: boolean;
  privileges: boolean;
  limits: boolean;
  /** What Node itself takes of its data limit, in MB: 48 where it is 20 or 22, and 560 where it is 24, most of it only reserved. */
  base_mb: number;
  lifetime: boolean;
  priority: boolean;
}
