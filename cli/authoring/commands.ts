import type { Command } from 'commander';
import { addOutputFlags, type Context } from '../command.js';

/** What the authors of plugins and skills need. All of it but `publish` works without a server and without a network. */
export function addAuthoring(program: Command, context: Context): void {
  const extension = program.command('extension').description('new, test, pack, check, sign, publish, verify, index');
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
      .option('--out <file>', 'Where the ZIP goes, - is standard output; else <id>-<version>.zip here')
      .option('--sign', 'Put your signature beside it, as <ZIP>.sig')
      .option('--key <file>', 'Sign with this private key; else with your own')
      .addHelpText('after', '\nExample:\n  $ platform extension pack ./acme.greetings --out greetings.zip'),
  ).action(async (folder: string, _options, command: Command) => (await import('./pack.js')).packExtension(folder, command, context));
  addOutputFlags(
    extension
      .command('check')
      .description('Show what a bundle holds, and all that is wrong with it')
      .argument('<path>', 'A ZIP, or the folder that would be packed')
      .addHelpText('after', '\nExample:\n  $ platform extension check acme.greetings-0.1.0.zip'),
  ).action(async (path: string, _options, command: Command) => (await import('./check.js')).checkExtension(path, command, context));
  addSigning(extension, context);
  addOutputFlags(
    extension
      .command('index')
      .description('Write the index.json of a folder of ZIPs: so any web server can be a mirror of it')
      .argument('<folder>', 'Where the ZIPs lie, and their signatures')
      .addHelpText('after', '\nExample:\n  $ platform extension index ./bundles'),
  ).action(async (folder: string, _options, command: Command) => (await import('./index-folder.js')).indexFolder(folder, command, context));
}

function addSigning(extension: Command, context: Context): void {
  const key = ['--key <file>', 'Sign with this private key; else with your own, which is made where there is none'] as const;
  addOutputFlags(
    extension
      .command('sign')
      .description('Put your signature beside a ZIP, as <ZIP>.sig')
      .argument('<file>', 'The ZIP')
      .option(...key)
      .addHelpText('after', '\nExample:\n  $ platform extension sign acme.greetings-0.1.0.zip'),
  ).action(async (file: string, _options, command: Command) => (await import('./sign.js')).signExtension(file, command, context));
  addOutputFlags(
    extension
      .command('publish')
      .description('Send a ZIP to the marketplace, signed; it is reviewed there')
      .argument('<file>', 'The ZIP')
      .option(...key)
      .option('--no-sign', 'Leave the signature out')
      .addHelpText('after', '\nExample:\n  $ platform extension publish acme.greetings-0.1.0.zip'),
  ).action(async (file: string, _options, command: Command) => (await import('./publish.js')).publishExtension(file, command, context));
  addOutputFlags(
    extension
      .command('verify')
      .description('Tell what a ZIP is and who has signed it; fails unless all agrees')
      .argument('<file>', 'The ZIP; its signature lies beside it as <ZIP>.sig, or a platform knows it')
      .option('--key <key>', 'The public key that must have signed it: base64, or a file in PEM')
      .option('--trust <file>', 'A list of keys one of which must have signed it, as extension keys --json writes it')
      .option('--save', 'Put the signature that the platform knows beside it, if it is good: so it goes with it to a mirror')
      .addHelpText('after', '\nExample:\n  $ platform extension verify acme.greetings-0.1.0.zip --trust keys.json'),
  ).action(async (file: string, _options, command: Command) => (await import('./verify.js')).verifyExtension(file, command, context));
}
