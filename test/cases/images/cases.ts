import type { TreeEntry } from '../../helpers/docker/images.js';

/** An image of a node, and how work in it goes. */
export interface ImageCase {
  name: string;
  source: string;
  /** As in a Dockerfile. */
  changes?: readonly string[];
  /** Its files beside or in place of Busybox's; programs that it lacks. */
  entries?: readonly TreeEntry[];
  without?: readonly string[];
  /** The failure of its creation. */
  refused?: RegExp;
  /** The output of an administrator's command, or its failure. Default: `1000` for its user. */
  exec?: { command?: string | readonly string[]; says: RegExp } | { command?: string; fails: RegExp; code: string };
  /** The answer of `/run id -u; pwd; touch x && ls`. Default: that it works. */
  employee?: RegExp;
  /** The node's `reason` and health afterwards. Default: nothing, and `healthy` or `starting`. */
  reason?: RegExp;
}

const user = 'https://docs.docker.com/reference/dockerfile/#user';
const app = { uid: 1000, gid: 1000 };
const id = { command: 'id -u', says: /^1000\n$/ };

export const imageCases: readonly ImageCase[] = [
  { name: 'a user by number', source: user, changes: ['USER 1000'], exec: id },
  {
    name: 'a user by name, with a folder of its own',
    source: user,
    changes: ['USER app', 'WORKDIR /home/app'],
    entries: [{ name: 'etc/passwd', content: 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1000::/home/app:/bin/sh\n' }],
    exec: id,
  },
  {
    name: 'a numeric user and group without names',
    source: user,
    changes: ['USER 4711:4712'],
    exec: { command: 'id -u; id -g', says: /^4711\n4712\n$/ },
  },
  { name: 'an unknown user', source: user, changes: ['USER ghost'], refused: /can't be started: unable to find user ghost/ },
  {
    name: 'a workspace that only its user can access',
    source: 'moby/moby#34916',
    changes: ['USER 1000'],
    entries: [{ name: 'workspace', type: 'directory', mode: 0o700, ...app }],
    exec: { command: 'id -u; touch mine && ls', says: /^1000\nmine\n$/ },
  },
  {
    name: 'a workspace that everybody may write',
    source: 'moby/moby#2969',
    changes: ['USER 1000'],
    entries: [{ name: 'workspace', type: 'directory', mode: 0o1777 }],
    exec: id,
  },
  {
    name: 'a workspace that is a link',
    source: 'path_resolution(7): a symbolic link is followed',
    changes: ['USER 1000'],
    entries: [{ name: 'workspace', type: 'symlink', linkname: '/tmp' }],
    exec: id,
  },
  {
    name: 'a workspace that is a file',
    source: 'mount(2): ENOTDIR',
    entries: [{ name: 'workspace', content: 'x' }],
    refused: /can't be started: .*workspace.*not a directory/,
  },
  { name: 'a volume at the workspace', source: 'moby/moby#34916', changes: ['VOLUME /workspace', 'USER 1000'], exec: id },
  {
    name: 'a working folder that may not be entered',
    source: 'GoogleContainerTools/distroless#718',
    changes: ['USER 1000', 'WORKDIR /root'],
    exec: id,
  },
  {
    name: 'a working folder that is missing',
    source: 'https://docs.docker.com/reference/dockerfile/#workdir',
    changes: ['USER 1000', 'WORKDIR /none/here'],
    exec: id,
  },
  {
    name: 'an entry point that ends at once',
    source: 'https://docs.docker.com/reference/dockerfile/#entrypoint',
    changes: ['ENTRYPOINT ["/bin/false"]', 'USER 1000'],
    exec: id,
  },
  {
    name: 'no mkdir, chown and chmod',
    source: 'GoogleContainerTools/distroless#419',
    without: ['mkdir', 'chown', 'chmod', 'rm', 'su'],
    changes: ['USER 1000'],
    exec: id,
  },
  {
    name: 'no timeout, sleep and kill',
    source: 'GoogleContainerTools/distroless#419',
    without: ['timeout', 'sleep', 'kill', 'grep'],
    changes: ['USER 1000'],
    exec: id,
  },
  {
    name: 'an empty PATH',
    source: 'https://docs.docker.com/reference/dockerfile/#env',
    changes: ['ENV PATH='],
    exec: { command: '/bin/id -u', says: /^0\n$/ },
  },
  {
    name: 'a PATH that leads nowhere',
    source: 'https://docs.docker.com/reference/dockerfile/#env',
    changes: ['ENV PATH=/none', 'USER 1000'],
    exec: { command: '/bin/id -u', says: /^1000\n$/ },
  },
  { name: 'an empty HOME', source: 'https://docs.docker.com/reference/dockerfile/#env', changes: ['ENV HOME=', 'USER 1000'], exec: id },
  {
    name: 'a health check that fails',
    source: 'https://docs.docker.com/reference/dockerfile/#healthcheck',
    changes: ['HEALTHCHECK --interval=1s --retries=1 CMD exit 7', 'USER 1000'],
    exec: id,
  },
  {
    name: 'a shell that is for another machine',
    source: 'langfuse/langfuse#2556',
    entries: [{ name: 'bin/sh', mode: 0o755, content: '\u007fELF\u0002\u0001\u0001' }],
    refused: /exec format error.*another processor architecture/i,
  },
  {
    name: 'a shell that its user may not run',
    source: 'execve(2): EACCES',
    changes: ['USER 1000'],
    entries: [{ name: 'bin/sh', mode: 0o700, content: '#!/bin/busybox sh\n' }],
    refused: /permission denied/i,
  },
  {
    name: 'a shell that is removed later',
    source: 'GoogleContainerTools/distroless#891',
    exec: { command: 'rm /bin/sh; echo removed', says: /^removed\n$/ },
    employee: /shell/,
    reason: /has no \/bin\/sh: .*no such file/,
  },
  {
    name: 'a single program',
    source: 'GoogleContainerTools/distroless#891',
    without: ['sh', 'ash', 'hush', 'bash'],
    changes: ['ENTRYPOINT []', 'CMD ["/bin/sleep", "1000"]', 'USER 1000'],
    exec: { command: ['/bin/id', '-u'], says: /^1000\n$/ },
    employee: /./,
  },
  {
    name: 'a single program that ends at once',
    source: 'docker-library/hello-world: README',
    without: ['sh', 'ash', 'hush', 'bash'],
    changes: ['ENTRYPOINT []', 'CMD ["/bin/true"]'],
    refused: /it has no shell, and its own program exits at once/,
  },
];
