import { posix } from 'node:path';
import type { Tool, ToolResult } from '../../../../kernel/contract/index.js';
import type { CommandResult } from '../command.js';
import type { CommandRunner } from '../command-runner.js';
import { accountOf } from '../folders.js';
import type { Frame } from '../frames.js';
import { TextPieces } from '../text-pieces.js';
import type { NodeWorkspace } from './node-workspace.js';
import { ToolInput } from './shapes.js';

/** Merges both outputs of a command into one text, in order of arrival. Replaces NUL, which PostgreSQL doesn't accept. */
export class MergedText {
  readonly #parts: string[] = [];
  readonly #pieces: TextPieces;

  constructor(onText: (delta: string) => void) {
    this.#pieces = new TextPieces((_stream, delta) => {
      const text = delta.replaceAll('\0', '\ufffd');
      this.#parts.push(text);
      onText(text);
    });
  }

  add(frame: Frame): void {
    this.#pieces.add(frame);
  }

  /** Returns the whole text. */
  end(): string {
    this.#pieces.end();
    return this.#parts.join('');
  }
}

/** Time limits of a command. */
const default_s = 120;
const max_s = 600;

const input = {
  type: 'object',
  properties: {
    command: { type: 'string', description: 'Command for /bin/sh; may have several lines' },
    timeout_s: {
      type: 'integer',
      minimum: 1,
      maximum: max_s,
      description: `Time limit in seconds, after which all its processes are killed. Default ${default_s}`,
    },
    cwd: { type: 'string', description: 'Folder to run in, relative to the working folder. Default: the working folder' },
  },
  required: ['command'],
  additionalProperties: false,
};

/** Merges standard output and error into one pipe, because the order of two pipes would be lost. */
const merge_outputs = 'exec /bin/sh -c "$0" 2>&1';

/** Creates the tool that runs commands on the node. */
export function shellTool(workspace: NodeWorkspace, execs: Pick<CommandRunner, 'runFor'>): Tool {
  return {
    name: 'shell',
    title: 'shell',
    description:
      'Runs a command on your work node, a Linux container, and returns its output. Commands start in the working folder, whose files persist between calls; variables and directory changes do not. They can reach the internet if the node may, but no private addresses. They get no input.',
    input,
    effect: 'write',
    within_room: true,
    audience: 'caller',
    timeout_ms: max_s * 1_000,
    slash: {
      command: 'run',
      usage: '/run <command>',
      about: 'Runs a command on my work node, a Linux container, and shows its output. Files stay until the next command.',
      parse: parseRun,
    },
    call: async (given, use) => {
      const fields = new ToolInput(given);
      const seconds = fields.whole('timeout_s', { min: 1, max: max_s, fallback: default_s });
      const cwd = fields.optionalPath('cwd') ?? '.';
      const argv = ['/bin/sh', '-c', merge_outputs, fields.command()];
      const text = new MergedText(use.output);
      const watch = { signal: use.signal, output: (frame: Parameters<MergedText['add']>[0]) => text.add(frame) };
      const ended = await workspace.work(use, ({ place, nodeUser }) => {
        const folder = posix.resolve(accountOf(nodeUser).home, cwd);
        return execs.runFor(nodeUser, place, { command: { argv, folder, timeout_ms: seconds * 1_000 }, watch });
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

function resultOf({ exit_code, how, truncated }: CommandResult, text: string, seconds: number): ToolResult {
  const output = truncated ? `${text}\n[… further output was dropped …]` : text;
  if (how !== 'exit') return { output, error: `The command did not finish within ${seconds} s and was killed with all its processes` };
  return exit_code === 0 ? { output } : { output, error: `The command ended with exit code ${exit_code ?? 'unknown'}` };
}
