import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message of a child; fails where it ends before it sends one. */
export async function message(child: ChildProcess): Promise<unknown[]> {
  const ended = new AbortController();
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A process of the benchmark ended with ${code}`);
  });
  try {
    return await Promise.race([once(child, 'message', { signal: ended.signal }), exit]);
  } finally {
    ended.abort();
    exit.catch(() => undefined);
  }
}
