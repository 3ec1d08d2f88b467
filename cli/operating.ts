import type { Command } from 'commander';
import { addOutputFlags, type Context } from './command.js';

/** Adds the commands for operators. */
export function addOperating(program: Command, context: Context): void {
  addOutputFlags(
    program
      .command('status')
      .description('Show the state of the server at a glance')
      .addHelpText(
        'after',
        `
Exit code: 0 all is well, 1 something is red (see platform doctor), 6 no server is running

Example:
  $ platform status`,
      ),
  ).action(async (_options, command: Command) => (await import('./status.js')).showStatus(command, context));
  addOutputFlags(
    program
      .command('backup')
      .description('Write all data to one archive while the server keeps running')
      .option(
        '--out <file>',
        'Write a verified copy of the archive to this file; - is standard output. Default: it stays on the server only',
      )
      .option('--keep <number>', 'Number of archives to retain on the server, including the new one', '7')
      .addHelpText('after', '\nExample:\n  $ platform backup --out ./platform.tar'),
  ).action(async (_options, command: Command) => (await import('./backup.js')).backup(command, context));
  addOutputFlags(
    program
      .command('migrate')
      .description('Move an installation from SQLite to an empty PostgreSQL database, compared row by row')
      .option('--to <address>', 'The database, without its password; default: what PLATFORM_DATABASE_URL names')
      .option('--to-stdin', 'Read its address from standard input, with its password')
      .addHelpText(
        'after',
        `
Stop the server first. The SQLite file is only read; if anything fails, the database is left empty.
Pass a password by --to-stdin, PLATFORM_DATABASE_URL or its …_FILE, PGPASSWORD or ~/.pgpass.

Example:
  $ platform migrate --to postgres://platform@db.example/platform`,
      ),
  ).action(async (_options, command: Command) => (await import('./migrate.js')).migrate(command, context));
  addCompletion(program, context);
}

function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('Write a shell completion script')
    .addArgument(program.createArgument('<shell>', 'The shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Install it:    in ~/.bashrc    source <(platform completion bash)
               in ~/.zshrc     source <(platform completion zsh), after compinit
               for fish        platform completion fish > ~/.config/fish/completions/platform.fish

Example:
  $ platform completion bash`,
    )
    .action(async (shell: keyof typeof import('./completion/scripts.js').scripts) => {
      const { scripts } = await import('./completion/scripts.js');
      context.terminal.stdout.write(scripts[shell]);
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => (await import('./completion/complete.js')).complete(words, program, context));
}
