import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const max_ms = 600_000;

/** The next message of a child; fails where it ends before it sends one, or sends none for ten minutes. */
export async function message(child: ChildProcess): Promise<unknown[]> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A process of the benchmark ended with ${code}`);
  });
  try {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(max_ms)]);
    return await Promise.race([once(child, 'message', { signal }), exit]);
  } finally {
    ended.abort();
    exit.catch(() => undefined);
  }
}
