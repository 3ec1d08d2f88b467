import { Command } from 'commander';
import { failures } from '../kernel/contract/failure.js';
import { loadedCatalog } from './call.js';
import { builtinCatalog, type Catalog } from './catalog.js';
import { addOperation, type Context } from './command.js';
import { dashed } from './flags.js';
import { print } from './output.js';
import { withSession } from './within-session.js';

const fail = failures({ plugin_not_found: 404 });

export interface PluginLine {
  extension: string | undefined;
  /** The words after it. */
  rest: readonly string[];
  command: Command;
}

/** Commands of installed plugins: made from what the installation says is loaded, so that they need no code here. */
export async function runPlugin({ extension, rest, command }: PluginLine, context: Context): Promise<void> {
  if (extension === '--help' || extension === '-h') return command.outputHelp();
  const own = new Set(Object.keys(builtinCatalog().about));
  const { operations, commands } = await withSession(command, context, (session) => loadedCatalog(session, context.signal));
  const foreign = Object.entries(operations).filter(([, data]) => !own.has(data.extension));
  if (extension === undefined || extension.startsWith('-')) {
    const rows = foreign.map(([id, data]) => ({ command: `x ${data.extension} ${wordOf(id, data.extension)}`, summary: data.summary }));
    return print(rows, { columns: ['command', 'summary'] }, context.terminal);
  }
  const mine = foreign.filter(([, data]) => data.extension === extension);
  if (mine.length === 0) throw fail('plugin_not_found', `No plugin '${extension}' with operations is loaded`);
  const below = new Command(`${command.parent?.name()} x`).copyInheritedSettings(command.parent as Command);
  // Which installation is meant, as the line has said before `x`.
  for (const [name, value] of Object.entries(command.optsWithGlobals())) below.setOptionValue(name, value);
  below.addCommand(pluginCommand(extension, { operations: Object.fromEntries(mine), commands }, { like: command, context }));
  await below.parseAsync([extension, ...rest], { from: 'user' });
}

/** The command of a plugin, with one below it for each of its operations. */
export function pluginCommand(
  extension: string,
  { operations, commands }: Pick<Catalog, 'operations' | 'commands'>,
  { like, context }: { like: Command; context: Context },
): Command {
  const parent = new Command(extension).copyInheritedSettings(like.parent as Command).helpOption('-h, --help');
  for (const [id, operation] of Object.entries(operations)) {
    const hint = commands.find((one) => one.operation === id);
    addOperation(parent, wordOf(id, extension), { id, operation, hint: hint && { ...hint, example: undefined as never } }, context);
  }
  return parent;
}

/** `hello.greet` of the plugin `hello` is `greet`. */
function wordOf(id: string, extension: string): string {
  return dashed(id.startsWith(`${extension}.`) ? id.slice(extension.length + 1) : id);
}
