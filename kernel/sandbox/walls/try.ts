import { execFile } from 'node:child_process';

/** A probe must not hold up a start for long. */
const limit_ms = 4_000;

/** Runs a program to see whether it can: undefined where it ended well, else the reason as it says it. */
export function tryProgram([program, ...given]: readonly (string | undefined)[]): Promise<string | undefined> {
  if (program === undefined || given.includes(undefined)) return Promise.resolve('a program is missing');
  return new Promise((resolve) => {
    const options = { cwd: '/', env: {}, timeout: limit_ms, killSignal: 'SIGKILL', maxBuffer: 65_536 } as const;
    execFile(program, given as string[], options, (fault, _stdout, stderr) =>
      resolve(fault === null ? undefined : reasonOf(fault, stderr)),
    );
  });
}

function reasonOf(fault: Error & { killed?: boolean }, stderr: string): string {
  if (fault.killed) return `it did not end within ${limit_ms / 1000} s`;
  const last = stderr.trim().split('\n').at(-1);
  return (last || fault.message).slice(0, 300);
}
