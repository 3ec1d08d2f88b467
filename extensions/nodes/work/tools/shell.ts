import { posix } from 'node:path';
import type { Tool, ToolResult } from '../../../../kernel/contract/index.js';
import type { Ended } from '../command.js';
import type { Execs } from '../execs.js';
import { lodgingOf } from '../folders.js';
import type { Frame } from '../frames.js';
import { TextPieces } from '../text-pieces.js';
import { ToolInput } from './shapes.js';
import type { Site } from './site.js';

/** What a command writes to both of its outputs as one text, in the order in which it came. PostgreSQL takes no NUL. */
export class MergedText {
  readonly #parts: string[] = [];
  readonly #pieces: TextPieces;

  constructor(told: (delta: string) => void) {
    this.#pieces = new TextPieces((_stream, delta) => {
      const text = delta.replaceAll('\0', '\ufffd');
      this.#parts.push(text);
      told(text);
    });
  }

  add(frame: Frame): void {
    this.#pieces.add(frame);
  }

  /** The whole. */
  end(): string {
    this.#pieces.end();
    return this.#parts.join('');
  }
}

const default_s = 120;
const max_s = 600;

const input = {
  type: 'object',
  properties: {
    command: { type: 'string', description: 'For /bin/sh; may have several lines' },
    timeout_s: {
      type: 'integer',
      minimum: 1,
      maximum: max_s,
      description: `Seconds after which it is killed with all its processes. Default ${default_s}`,
    },
    cwd: { type: 'string', description: 'Where it runs, from the working folder. Default: the working folder' },
  },
  required: ['command'],
  additionalProperties: false,
};

/** Both outputs by one pipe: by two they would arrive in an order of their own. */
const inOrder = 'exec /bin/sh -c "$0" 2>&1';

/** Runs commands on the node. */
export function shellTool(site: Site, execs: Pick<Execs, 'runFor'>): Tool {
  return {
    name: 'shell',
    title: 'shell',
    description:
      'Runs a command on your work node, a Linux container, and gives what it writes. Files stay from one call to the next in the working folder, in which it starts; variables and the folder do not. It can reach the internet where the node may, but no private addresses. It gets no input.',
    input,
    effect: 'write',
    timeout_ms: max_s * 1_000,
    slash: { command: 'run', usage: '/run <command>', parse: parseRun },
    call: async (given, use) => {
      const fields = new ToolInput(given);
      const seconds = fields.whole('timeout_s', { min: 1, max: max_s, fallback: default_s });
      const cwd = fields.optionalPath('cwd') ?? '.';
      const argv = ['/bin/sh', '-c', inOrder, fields.command()];
      const text = new MergedText(use.output);
      const watch = { signal: use.signal, output: (frame: Parameters<MergedText['add']>[0]) => text.add(frame) };
      const ended = await site.work(use, ({ place, lodger }) => {
        const folder = posix.resolve(lodgingOf(lodger).home, cwd);
        return execs.runFor(lodger, place, { command: { argv, folder, timeout_ms: seconds * 1_000 }, watch });
      });
      use.signal.throwIfAborted();
      return resultOf(ended, text.end(), seconds);
    },
  };
}

function parseRun(rest: string): object {
  if (rest.trim() === '') throw new Error('which command?');
  return { command: rest };
}

function resultOf({ exit_code, how, truncated }: Ended, text: string, seconds: number): ToolResult {
  const output = truncated ? `${text}\n[… more was written, which is not kept …]` : text;
  if (how !== 'exit') return { output, error: `The command did not end within ${seconds} s, and was killed with all its processes` };
  return exit_code === 0 ? { output } : { output, error: `The command ended with exit code ${exit_code ?? 'unknown'}` };
}
