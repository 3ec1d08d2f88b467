import type { Command } from 'commander';
import { addOutputFlags, type Context } from '../command.js';

/** What the authors of plugins and skills need. All of it works without a server and without a network. */
export function addAuthoring(program: Command, context: Context): void {
  const extension = program.command('extension').description('new, test, pack, check');
  extension
    .command('new')
    .description('Write a plugin or a skill to begin with')
    .argument('<folder>', 'The folder to make; its name becomes the id')
    .option('--type <type>', 'plugin or skill', 'plugin')
    .addHelpText('after', '\nExample:\n  $ platform extension new acme.greetings --type plugin')
    .action(async (folder: string, _options, command: Command) => (await import('./new.js')).createExtension(folder, command, context));
  extension
    .command('test')
    .description("Run a plugin's tests: its files *.test.ts and *.test.js")
    .argument('<folder>', 'Where its manifest.json lies')
    .addHelpText('after', '\nExample:\n  $ platform extension test ./acme.greetings')
    .action(async (folder: string, _options, _command: Command) => (await import('./test.js')).testExtension(folder, context));
  addOutputFlags(
    extension
      .command('pack')
      .description('Make the ZIP that is published, of a plugin or a skill; the same input gives the same bytes')
      .argument('<folder>', 'Where its manifest.json lies')
      .option('--out <file>', 'Where the ZIP goes; else <id>-<version>.zip here')
      .addHelpText('after', '\nExample:\n  $ platform extension pack ./acme.greetings --out greetings.zip'),
  ).action(async (folder: string, _options, command: Command) => (await import('./pack.js')).packExtension(folder, command, context));
  addOutputFlags(
    extension
      .command('check')
      .description('Show what a bundle holds, and all that is wrong with it')
      .argument('<path>', 'A ZIP, or the folder that would be packed')
      .addHelpText('after', '\nExample:\n  $ platform extension check acme.greetings-0.1.0.zip'),
  ).action(async (path: string, _options, command: Command) => (await import('./check.js')).checkExtension(path, command, context));
}
