import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a program of a test's own at once; waits until it is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
