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
      .option('--out <file>', 'Put a copy of the archive there, checked; else it stays with the server alone')
      .option('--keep <number>', 'How many archives the server keeps, with the new one', '7')
      .addHelpText('after', '\nExample:\n  $ platform backup --out ./platform.tar'),
  ).action(async (_options, command: Command) => (await import('./backup.js')).backup(command, context));
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
