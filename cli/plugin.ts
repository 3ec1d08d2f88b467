import { Command } from 'commander';
import { type Failure, failures } from '../kernel/contract/failure.js';
import { loadedCatalog } from './call.js';
import { builtinCatalog, type Catalog } from './catalog.js';
import { addOperation, type Context } from './command.js';
import { dashed } from './flags.js';
import { print } from './output.js';
import { remark } from './remark.js';
import { withSession } from './within-session.js';
import { exactHelp } from './words.js';

const fail = failures({ plugin_not_found: 404 });

export interface PluginLine {
  extension: string | undefined;
  /** Words after the extension. */
  rest: readonly string[];
  command: Command;
}

/** Runs a command of an installed plugin. Commands are built from the installation's catalog, so they need no code here. */
export async function runPlugin({ extension, rest, command }: PluginLine, context: Context): Promise<void> {
  if (extension === '--help' || extension === '-h') return command.outputHelp();
  const builtinIds = new Set(Object.keys(builtinCatalog().about));
  const { operations, commands } = await withSession(command, context, (session) => loadedCatalog(session, context.signal));
  const pluginOperations = Object.entries(operations).filter(([, data]) => !builtinIds.has(data.extension));
  if (extension === undefined || extension.startsWith('-')) {
    const rows = pluginOperations.map(([id, data]) => ({
      command: `x ${data.extension} ${wordOf(id, data.extension)}`,
      summary: data.summary,
    }));
    if (rows.length > 0) return print(rows, { columns: ['command', 'summary'] }, context.terminal);
    return remark('No installed plugin has operations. Find plugins with: platform extension search --type plugin', context.terminal);
  }
  const ownOperations = pluginOperations.filter(([, data]) => data.extension === extension);
  if (ownOperations.length === 0) throw notFound(extension, pluginOperations);
  const program = new Command(`${command.parent?.name()} x`).copyInheritedSettings(command.parent as Command);
  // Flags before `x` select the installation.
  for (const [name, value] of Object.entries(command.optsWithGlobals())) program.setOptionValue(name, value);
  program.addCommand(pluginCommand(extension, { operations: Object.fromEntries(ownOperations), commands }, { like: command, context }));
  await program.parseAsync(exactHelp(program, [extension, ...rest]), { from: 'user' });
}

function notFound(extension: string, operations: readonly (readonly [string, { extension: string }])[]): Failure {
  const known = [...new Set(operations.map(([, data]) => data.extension))];
  const fix = known.length === 0 ? 'find plugins with: platform extension search --type plugin' : `there are: ${known.join(', ')}`;
  return fail('plugin_not_found', `There is no active plugin '${extension}' with operations`, { fix });
}

/** Builds the command of a plugin, with a subcommand for each of its operations. */
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

/** Returns the command word of an operation: `greet` for `hello.greet` of the plugin `hello`. */
function wordOf(id: string, extension: string): string {
  return dashed(id.startsWith(`${extension}.`) ? id.slice(extension.length + 1) : id);
}
