import { execFile } from 'node:child_process';

/** A probe must not hold up a start for long. */
const limit_ms = 4_000;

/** Runs a program to see whether it can: undefined where it ended well, else the reason as it says it. */
export async function tryProgram(line: readonly (string | undefined)[]): Promise<string | undefined> {
  return (await runProgram(line)).fault;
}

/** The same, with what it has printed. */
export function runProgram([program, ...given]: readonly (string | undefined)[]): Promise<{ fault: string | undefined; stdout: string }> {
  if (program === undefined || given.includes(undefined)) return Promise.resolve({ fault: 'a program is missing', stdout: '' });
  return new Promise((resolve) => {
    const options = { cwd: '/', env: {}, timeout: limit_ms, killSignal: 'SIGKILL', maxBuffer: 65_536 } as const;
    execFile(program, given as string[], options, (fault, stdout, stderr) => {
      resolve({ fault: fault === null ? undefined : reasonOf(fault, stderr), stdout });
    });
  });
}

function reasonOf(fault: Error & { killed?: boolean }, stderr: string): string {
  if (fault.killed) return `it did not end within ${limit_ms / 1000} s`;
  const last = stderr.trim().split('\n').at(-1);
  return (last || fault.message).slice(0, 300);
}
