import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { plain, statusOf } from '../../engines/failures.js';
import type { Place } from '../place.js';

/** What is done at a container from outside of it, by an image that is trusted with that. */
export interface Errand {
  /** For `/bin/sh`; its arguments are `$1`, `$2`, … */
  script: string;
  args: readonly string[];
  image: string;
  /** What of root's powers it has. */
  capabilities: readonly string[];
  /** What of the container it is in. */
  joins: 'network' | 'processes';
  /** Settings of the kernel, which the engine makes before the script runs. */
  sysctls?: Readonly<Record<string, string>>;
}

export interface Report {
  code: number;
  stdout: string;
  stderr: string;
}

/** For all of it, in ms. */
const limit_ms = 20_000;
const memory_bytes = 64 * 1024 * 1024;

/**
 * Runs an errand in a container of its own, which is removed afterwards. Throws what the engine's client throws.
 *
 * @param labels by which it is found and removed where nobody is left to do so
 */
export async function runErrand({ docker, container }: Place, errand: Errand, labels: Readonly<Record<string, string>>): Promise<Report> {
  const { script, args, image, capabilities, joins, sysctls } = errand;
  const guard = await docker.createContainer({
    Image: image,
    Labels: { ...labels },
    Entrypoint: ['/bin/sh', '-c', script, 'guard'],
    Cmd: [...args],
    User: '0:0',
    WorkingDir: '/',
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...(joins === 'network'
        ? { NetworkMode: `container:${container.id}` }
        : { NetworkMode: 'none', PidMode: `container:${container.id}` }),
      ...(sysctls ? { Sysctls: { ...sysctls } } : {}),
      CapDrop: ['ALL'],
      CapAdd: [...capabilities],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Memory: memory_bytes,
      MemorySwap: memory_bytes,
      PidsLimit: 64,
      LogConfig: { Type: 'json-file', Config: { 'max-size': '256k', 'max-file': '1' } },
    },
  });
  try {
    await guard.start();
    return await ended(guard);
  } finally {
    await guard.remove({ force: true, v: true }).catch((fault: unknown) => {
      if (statusOf(fault) === undefined) throw fault;
    });
  }
}

async function ended(guard: Docker.Container): Promise<Report> {
  const limit = new AbortController();
  const waited = guard.wait({ abortSignal: limit.signal }) as Promise<{ StatusCode: number }>;
  waited.catch(() => undefined);
  try {
    const end = await Promise.race([waited, sleep(limit_ms, undefined, { signal: limit.signal })]);
    if (end === undefined) return { code: -1, stdout: '', stderr: `it took longer than ${limit_ms / 1000} s` };
    const stdout = await textOf(guard, 'stdout');
    const stderr = plain(await textOf(guard, 'stderr'));
    return { code: end.StatusCode, stdout, stderr };
  } finally {
    limit.abort();
  }
}

/** The log's frames without their headers: what is written to one stream is text in lines. */
async function textOf(guard: Docker.Container, stream: 'stdout' | 'stderr'): Promise<string> {
  const bytes = (await guard.logs({ [stream]: true, follow: false, tail: 2_000 })) as Buffer;
  const parts: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at + 4);
    parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(parts).toString();
}
