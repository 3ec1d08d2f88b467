import type { Command } from 'commander';
import { addOutputFlags, type Context } from './command.js';

/** What whoever runs an installation needs. */
export function addOperating(program: Command, context: Context): void {
  addOutputFlags(
    program
      .command('status')
      .description('Tell at a glance how the server does')
      .addHelpText(
        'after',
        `
Exit code: 0 all is well, 1 something is red (platform doctor tells more), 6 no server runs

Example:
  $ platform status`,
      ),
  ).action(async (_options, command: Command) => (await import('./status.js')).showStatus(command, context));
  addOutputFlags(
    program
      .command('backup')
      .description('Write all that the platform holds to one archive, while it goes on working')
      .option('--out <file>', 'Put a copy of the archive there, checked; - is standard output. Else it stays with the server alone')
      .option('--keep <number>', 'How many archives the server keeps, with the new one', '7')
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
No server may run meanwhile. The SQLite file is only read; where anything goes wrong, the database is as empty as before.
A password comes by --to-stdin, PLATFORM_DATABASE_URL or its …_FILE, PGPASSWORD or ~/.pgpass.

Example:
  $ platform migrate --to postgres://platform@db.example/platform`,
      ),
  ).action(async (_options, command: Command) => (await import('./migrate.js')).migrate(command, context));
  addCompletion(program, context);
}

function addCompletion(program: Command, context: Context): void {
  program
    .command('completion')
    .description('Write the script by which a shell completes the commands')
    .addArgument(program.createArgument('<shell>', 'Whose').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
Where it goes: in ~/.bashrc    source <(platform completion bash)
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
