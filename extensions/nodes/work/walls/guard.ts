import { plain, statusOf } from '../../engines/failures.js';
import { framesOf } from '../frames.js';
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
/** In bytes; the rest is dropped. */
const longest_output = 262_144;
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
    Entrypoint: ['/bin/sh', '-c', `( ${script}\n); echo "ended $?"`, 'guard'],
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
      // Also where nobody is left to remove it.
      AutoRemove: true,
      LogConfig: { Type: 'none', Config: {} },
    },
  });
  const limit = AbortSignal.timeout(limit_ms);
  try {
    // Before it starts: with its end it is gone.
    const source = await guard.attach({ stream: true, stdout: true, stderr: true, abortSignal: limit });
    await guard.start();
    return await reportOf(source as unknown as AsyncIterable<Buffer>);
  } catch (fault) {
    if (!limit.aborted) throw fault;
    return { code: -1, stdout: '', stderr: `it took longer than ${limit_ms / 1000} s` };
  } finally {
    await guard.remove({ force: true, v: true }).catch((fault: unknown) => {
      if (statusOf(fault) === undefined) throw fault;
    });
  }
}

/** What it writes until its end; the last line says how it ended. */
async function reportOf(source: AsyncIterable<Buffer>): Promise<Report> {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let left = longest_output;
  for await (const { stream, bytes } of framesOf(source)) {
    parts[stream].push(bytes.subarray(0, left));
    left -= Math.min(left, bytes.length);
  }
  const stdout = Buffer.concat(parts.stdout).toString();
  const [, said = stdout, code = '-1'] = /^(.*)^ended (\d+)\n$/ms.exec(stdout) ?? [];
  return { code: Number(code), stdout: said, stderr: plain(Buffer.concat(parts.stderr).toString()) };
}
