import { asTyped } from '../invocation.js';
import { cell } from '../table.js';
import { coloured, harmless, type Terminal } from '../terminal.js';
import { wrapped } from '../wrap.js';
import type { Finding } from './doctor.js';

const margin = '     ';

/** For people: what was found in lines that fit, and below what is red since when, and what mends it. */
export function show(findings: readonly Finding[], terminal: Terminal): void {
  const { stdout } = terminal;
  const columns = Math.min(stdout.columns || 80, 100) - margin.length;
  const paint = (colour: number, text: string) => (coloured(terminal) ? `\u001B[${colour}m${text}\u001B[39m` : text);
  for (const { ok, extension, code, message, since, fix } of findings) {
    const state = ok ? paint(32, 'ok ') : paint(31, 'red');
    const lines = wrapped(harmless(`${extension}.${code}: ${message}`), columns);
    stdout.write(`${state}  ${lines.join(`\n${margin}`)}\n`);
    if (since !== null)
      stdout.write(
        `${margin}since ${cell(since)
          .replace('T', ' ')
          .replace(/\.\d+Z$/, ' UTC')}\n`,
      );
    // In one piece, however long: it is there to be pasted.
    if (fix !== null) stdout.write(`${margin}${asTyped(cell(fix), terminal)}\n`);
  }
}
