import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { addAuthoring } from './authoring/commands.js';
import { builtinCatalog } from './catalog.js';
import { addCatalog } from './catalog-commands.js';
import { addOutputFlags, type Context } from './command.js';
import { exitCodeOf, exitCodes, report } from './exit.js';
import { fitHelp, helpLayout } from './help-layout.js';
import { addImports } from './import/commands.js';
import { Interrupts } from './interrupts.js';
import { asTyped } from './invocation.js';
import { addLive } from './live-commands.js';
import { addOperating } from './operating.js';
import { OutputWatch } from './output-watch.js';
import type { CommonFlags } from './session.js';
import type { Terminal } from './terminal.js';
import { exactHelp, guardWords } from './words.js';

/** Runs one command line; returns the exit code. */
export async function run(program: Command, argv: readonly string[], terminal: Terminal): Promise<number> {
  const interrupts = new Interrupts();
  const output = new OutputWatch(terminal, (reason) => interrupts.end(reason));
  const code = await runIn(program, argv, { terminal, interrupts, signal: interrupts.signal });
  interrupts.dispose();
  const fault = await output.finish();
  if (fault === undefined || code !== exitCodes.ok) return code;
  report(fault, terminal, { debug: false });
  return exitCodes.failure;
}

async function runIn(program: Command, argv: readonly string[], context: Context): Promise<number> {
  try {
    build(program, argv, context);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(guardWords(program, exactHelp(program, argv)), { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    return failed(error, program.opts<CommonFlags>(), context.terminal);
  }
}

function failed(error: unknown, { debug = false }: CommonFlags, terminal: Terminal): number {
  // Commander has already written the message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  report(error, terminal, { debug });
  return exitCodeOf(error);
}

function build(program: Command, argv: readonly string[], context: Context): void {
  const { stdout, stderr } = context.terminal;
  program
    .description('A work platform for organisations: people and AI employees in one place')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(fitHelp(asTyped(text, context.terminal), stdout.columns)),
      writeErr: (text) => stderr.write(fitHelp(asTyped(text, context.terminal), stderr.columns)),
      getOutHelpWidth: () => stdout.columns || 80,
      getErrHelpWidth: () => stderr.columns || 80,
      outputError: (text, write) => write(text.replace(/^error: /, 'platform: ')),
    })
    .configureHelp(helpLayout)
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show help for a command')
    .showHelpAfterError('hint: add --help to see the usage')
    .option('--url <address>', 'Use the server at this address')
    .option('--profile <name>', 'Use this stored login')
    .option('--data-dir <folder>', 'Use this data folder')
    .option('--config <file>', 'Read settings from this file')
    .option('--debug', 'Show stack traces of errors')
    .option('-V, --version', 'Show the version')
    .on('option:version', () => {
      printVersion(context.terminal);
      throw new CommanderError(0, 'commander.version', '');
    })
    .addHelpText(
      'after',
      '\nExample:\n  $ platform serve\n  $ platform login --url http://127.0.0.1:8080 --username admin\n  $ platform member list',
    );
  addServer(program, context);
  addAccount(program, context);
  addOperating(program, context);
  addImports(program, context);
  addTools(program, context);
  addAuthoring(program, context);
  addLive(program, context);
  addCatalog(program, builtinCatalog(), { context, argv });
  program
    .command('version')
    .description('Show the version')
    .addHelpText('after', '\nExample:\n  $ platform version')
    .action(() => printVersion(context.terminal));
}

function printVersion({ stdout }: Terminal): void {
  // Resolved from dist/cli: the project's package.json.
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  stdout.write(`platform ${version}\n`);
}

function addServer(program: Command, { terminal }: Context): void {
  program
    .command('serve')
    .description('Run the server')
    .option('--host <address>', 'The address to listen on')
    .option('--port <number>', 'The port to listen on; 0 chooses a free one')
    .option('--base-url <address>', 'The public address of the server')
    .option('--log-level <level>', 'debug, info, warn, error or silent')
    .addHelpText('after', '\nExample:\n  $ platform serve --port 8080 --data-dir ./data')
    .action(async (_options, command: Command) => {
      const { serve } = await import('./serve.js');
      // Exit at once: anything that still hangs has used up its time.
      process.exit(await serve(command.optsWithGlobals(), terminal));
    });
}

function addAccount(program: Command, context: Context): void {
  addOutputFlags(
    program
      .command('login')
      .description('Log in to a server and store the login')
      .option('--device', 'Confirm the login in a browser, by a code; the default on a terminal without --username')
      .option('--username <name>', 'Log in with a password as this user')
      .option('--password-stdin', 'Read the password from standard input; otherwise the command asks for it')
      .addHelpText('after', '\nExample:\n  $ platform login --url http://127.0.0.1:8080 --username admin'),
  ).action(async (_options, command: Command) => (await import('./login.js')).login(command, context));
  program
    .command('logout')
    .description('Log out and delete the stored login')
    .addHelpText('after', '\nExample:\n  $ platform logout')
    .action(async (_options, command: Command) => (await import('./login.js')).logout(command, context));
  program
    .command('password')
    .description('Change your password')
    .option(
      '--password-stdin',
      'Read the current and the new password from standard input, one a line; otherwise the command asks for them',
    )
    .addHelpText('after', '\nExample:\n  $ platform password')
    .action(async (_options, command: Command) => (await import('./password.js')).changePassword(command, context));
  addOutputFlags(
    program
      .command('whoami')
      .description('Show your account and the server')
      .addHelpText('after', '\nExample:\n  $ platform whoami --json username,role'),
  ).action(async (_options, command: Command) => (await import('./login.js')).whoami(command, context));
}

function addTools(program: Command, context: Context): void {
  program
    .command('call')
    .description('Run any operation by its id; without an id, list all operations')
    .argument('[operation]', 'Its id, as members.list')
    .option('--json <input>', 'Its input as JSON; - reads it from standard input')
    .option('--file <path>', 'The file to upload, if the operation accepts one; - is standard input')
    .option('--out <path>', 'Where to write a file response; - is standard output')
    .addHelpText('after', '\nExample:\n  $ platform call members.list --json \'{"keyword":"ada"}\'')
    .action(async (operation: string | undefined, _options, command: Command) =>
      (await import('./call.js')).call(operation, command, context),
    );
  addOutputFlags(
    program
      .command('doctor')
      .description('Check the installation and suggest fixes')
      .addHelpText('after', '\nExample:\n  $ platform doctor'),
  ).action(async (_options, command: Command) => (await import('./doctor/doctor.js')).doctor(command, context));
  addOutputFlags(
    program
      .command('config')
      .description('Show the active settings; secrets are masked')
      .addHelpText('after', '\nExample:\n  $ platform config --json key,value'),
  ).action(async (_options, command: Command) => (await import('./settings.js')).showSettings(command, context));
  program
    .command('restore')
    .description('Restore a backup into an empty data folder and database')
    .argument('<file>', 'The archive from platform backup, plain or gzip-compressed; - is standard input')
    .addHelpText('after', '\nExample:\n  $ platform restore ./20261120T023000Z.tar --data-dir ./restored')
    .action(async (file: string, _options, command: Command) => (await import('./restore.js')).restore(file, command, context));
  program
    .command('tui')
    .description('Open the dashboard; without a terminal, print it once')
    .argument('[view]', 'The view to open first, as nodes')
    .option('--readonly', 'Disable all actions that change anything')
    .addHelpText('after', '\nExample:\n  $ platform tui --readonly')
    .action(async (view: string | undefined, _options, command: Command) =>
      (await import('./dashboard.js')).dashboard(view, command, context),
    );
  program
    .command('x')
    .description('Run an operation of an installed plugin; without arguments, list them')
    .argument('[extension]', 'Its id')
    .argument('[operation...]', 'The operation and its flags; list them with --help')
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', '\nExample:\n  $ platform x acme.greetings greet Ada')
    .action(async (extension: string | undefined, rest: string[], _options, command: Command) => {
      const { runPlugin } = await import('./plugin.js');
      await runPlugin({ extension, rest, command }, context);
    });
}
