import { fail } from '../../codes.js';
import { singleLine, statusOf } from '../../engines/failures.js';
import { framesOf } from '../frames.js';
import type { NodeContainer } from '../node-container.js';

/** Task for a helper container that works on another container from outside. */
export interface HelperTask {
  /** Script for `/bin/sh`; its arguments are `$1`, `$2`, … */
  script: string;
  args: readonly string[];
  image: string;
  /** Capabilities of root that it has. */
  capabilities: readonly string[];
  /** Namespace of the container that it joins. */
  joins: 'network' | 'processes';
  /** Kernel settings, which the engine applies before the script runs. */
  sysctls?: Readonly<Record<string, string>>;
}

export interface Report {
  code: number;
  stdout: string;
  stderr: string;
}

/** Time limit in ms. */
const limit_ms = 20_000;
/** Limit of its output in bytes; the rest is dropped. */
const max_output_length = 262_144;
const memory_bytes = 64 * 1024 * 1024;

/**
 * Runs a task in a container of its own, which is removed afterwards. Throws the errors of the engine's client, and
 * `node_offline` if it takes longer than 20 s or is cut off.
 *
 * @param labels by which an orphaned container is found and removed
 */
export async function runHelper(
  { docker, container, node }: NodeContainer,
  errand: HelperTask,
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
      // Removes it even if this process dies.
      AutoRemove: true,
      LogConfig: { Type: 'none', Config: {} },
    },
  });
  const limit = AbortSignal.timeout(limit_ms);
  try {
    // Attach before the start: it is removed when it ends.
    const source = await guard.attach({ stream: true, stdout: true, stderr: true, abortSignal: limit });
    await guard.start();
    const report = await reportOf(source as unknown as AsyncIterable<Buffer>);
    if (report) return report;
    throw fail('node_offline', `The node '${node.name}' is offline: a task of its engine was interrupted; try again in a moment`);
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

/** Reads the output; undefined if it ended early. */
async function reportOf(source: AsyncIterable<Buffer>): Promise<Report | undefined> {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let left = max_output_length;
  for await (const { stream, bytes } of framesOf(source)) {
    parts[stream].push(bytes.subarray(0, left));
    left -= Math.min(left, bytes.length);
  }
  const end = endOf(Buffer.concat(parts.stdout).toString());
  return end && { ...end, stderr: singleLine(Buffer.concat(parts.stderr).toString()) };
}

const end_mark = 'ended ';

/** Splits a task's output into text and the exit code in its last line; undefined if there is no such line. */
export function endOf(written: string): Pick<Report, 'code' | 'stdout'> | undefined {
  const at = written.lastIndexOf(end_mark);
  if (at === -1 || (at > 0 && written[at - 1] !== '\n')) return undefined;
  const code = /^(\d{1,3})\n$/.exec(written.slice(at + end_mark.length, at + end_mark.length + 5))?.[1];
  return code === undefined ? undefined : { code: Number(code), stdout: written.slice(0, at) };
}
