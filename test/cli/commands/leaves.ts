import { PassThrough } from 'node:stream';
import { Command, Help } from 'commander';
import { builtinCatalog } from '../../../cli/catalog.js';
import { run } from '../../../cli/program.js';
import type { Terminal } from '../../../cli/terminal.js';
import type { OperationData } from '../../../kernel/contract/manifest.js';

/** A command that does something, as the program has it. */
export interface LeafCommand {
  /** Its words: `member list`. */
  name: string;
  /** The lines of its help's example, without the program's name. */
  examples: readonly string[];
  /** Its flags, as `--json`. */
  flags: readonly string[];
  /** Whether its answer is one of an operation that changes nothing, and no stream or file. */
  isRead: boolean;
}

/** Every command of the program that does something: what only holds others has no example of its own. */
export async function leafCommands(): Promise<LeafCommand[]> {
  const program = new Command('platform');
  const { stdin, stderr } = process;
  const { commands, operations } = builtinCatalog();
  // Only what a line names is there whole.
  const names = commands.flatMap(({ command }) => command.split(' ')[0] ?? []);
  const line = ['__complete', '--', ...new Set(names), ''];
  await run(program, line, { env: {}, stdin, stdout: new PassThrough().resume(), stderr } as unknown as Terminal);
  const isRead = ({ method, kind }: OperationData) => method === 'GET' && kind === 'call';
  const reads = new Set(commands.filter((hint) => isRead(operations[hint.operation] as OperationData)).map(({ command }) => command));
  return below(program, []).map(({ words, command }) => {
    const name = words.join(' ');
    return {
      name,
      examples: examplesOf(command),
      flags: command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? ''),
      isRead: reads.has(name),
    };
  });
}

interface Found {
  words: readonly string[];
  command: Command;
}

function below(command: Command, words: readonly string[]): Found[] {
  const within = new Help().visibleCommands(command).filter((each) => each.name() !== 'help');
  const isLeaf = within.length === 0 || (words.length > 0 && examplesOf(command).length > 0);
  return [...(isLeaf ? [{ words, command }] : []), ...within.flatMap((each) => below(each, [...words, each.name()]))];
}

function examplesOf(command: Command): string[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const lines = help.split('\nExample:\n')[1]?.split('\n') ?? [];
  return lines.flatMap((line) => /^ {2}\$ platform (.*)$/.exec(line)?.[1] ?? []);
}

/** The words of a line, as a shell would part them: quoted ones keep their spaces. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
