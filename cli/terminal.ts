import type { ReadStream, WriteStream } from 'node:tty';

export { harmless, harmlessJson } from '../kernel/client/terminal-text.js';

/** What a command reads from and writes to. The streams are a terminal's only where `isTTY` says so. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
}

/** Whether output may be coloured (https://no-color.org). */
export function coloured({ env, stdout }: Terminal): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
