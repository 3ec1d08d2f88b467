import { writeSync } from 'node:fs';
import type { Config } from '../config/load.js';
import { harmless, type Terminal } from './terminal.js';

interface LogDestination {
  write(line: string): void;
}

/** Returns a destination that writes the server's log as lines for people; nothing if it stays JSON. */
export async function prettyLog({ log_format }: Config, { stderr }: Terminal): Promise<{ log?: LogDestination }> {
  if (log_format === 'json' || (log_format === 'auto' && stderr.isTTY !== true)) return {};
  const { prettyFactory } = (await import('pino-pretty')).default;
  const format = prettyFactory({ colorize: false, translateTime: 'SYS:HH:MM:ss', singleLine: true });
  return { log: { write: (line) => writeLine(readable(format, line)) } };
}

/** Fields come from outside, so nothing in them may reach the terminal as an escape. */
function readable(format: (line: string) => string, line: string): string {
  try {
    return harmless(format(line));
  } catch {
    return line;
  }
}

/** A closed terminal must not end the server, and there is no further place to report it to. */
function writeLine(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Lost, as described above.
  }
}
