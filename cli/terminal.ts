import type { ReadStream, WriteStream } from 'node:tty';

export { harmless, harmlessJson } from '../kernel/client/terminal-text.js';

/** Environment and streams of a command. A stream is a terminal only if its `isTTY` is true. */
export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  stdin: NodeJS.ReadStream | ReadStream;
  stdout: NodeJS.WriteStream | WriteStream;
  stderr: NodeJS.WriteStream | WriteStream;
}

/** Returns whether output may be coloured (https://no-color.org). */
export function coloured({ env, stdout }: Terminal): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
