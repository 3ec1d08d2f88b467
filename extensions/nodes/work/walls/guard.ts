import { fail } from '../../codes.js';
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
const max_output_length = 262_144;
const memory_bytes = 64 * 1024 * 1024;

/**
 * Runs an errand in a container of its own, which is removed afterwards. Throws what the engine's client throws, and
 * `node_offline` where it takes longer than 20 s, or is cut off.
 *
 * @param labels by which it is found and removed where nobody is left to do so
 */
export async function runErrand(
  { docker, container, node }: Place,
  errand: Errand,
  labels: Readonly<Record<string, string>>,
): Promise<Report> {
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
    const report = await reportOf(source as unknown as AsyncIterable<Buffer>);
    if (report) return report;
    throw fail('node_offline', `The node '${node.name}' is offline: what its engine was to do for it was cut off; try again in a moment`);
  } catch (fault) {
    if (!limit.aborted) throw fault;
    const why = `its engine took longer than ${limit_ms / 1000} s`;
    throw fail('node_offline', `The node '${node.name}' is offline: ${why}; try again in a moment`, { cause: fault });
  } finally {
    await guard.remove({ force: true, v: true }).catch((fault: unknown) => {
      if (statusOf(fault) === undefined) throw fault;
    });
  }
}

/** What it writes until its end; undefined where it did not come to that. */
async function reportOf(source: AsyncIterable<Buffer>): Promise<Report | undefined> {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let left = max_output_length;
  for await (const { stream, bytes } of framesOf(source)) {
    parts[stream].push(bytes.subarray(0, left));
    left -= Math.min(left, bytes.length);
  }
  const end = endOf(Buffer.concat(parts.stdout).toString());
  return end && { ...end, stderr: plain(Buffer.concat(parts.stderr).toString()) };
}

const last_word = 'ended ';

/** What an errand wrote, and the exit code that its last line says; undefined where there is no such line. */
export function endOf(written: string): Pick<Report, 'code' | 'stdout'> | undefined {
  const at = written.lastIndexOf(last_word);
  if (at === -1 || (at > 0 && written[at - 1] !== '\n')) return undefined;
  const code = /^(\d{1,3})\n$/.exec(written.slice(at + last_word.length, at + last_word.length + 5))?.[1];
  return code === undefined ? undefined : { code: Number(code), stdout: written.slice(0, at) };
}
