import type { Command } from 'commander';
import { addOutputFlags, type Context } from '../command.js';

/** Adds the commands for authors of plugins and skills. All but `publish` and `verify` always work without a server. */
export function addAuthoring(program: Command, context: Context): void {
  const extension = program.command('extension').description('new, test, pack, check, sign, publish, verify, index');
  extension
    .command('new')
    .description('Create a plugin or a skill from a template')
    .argument('<folder>', 'The folder to create; its name becomes the id')
    .option('--type <type>', 'plugin or skill', 'plugin')
    .addHelpText('after', '\nExample:\n  $ platform extension new acme.greetings --type plugin')
    .action(async (folder: string, _options, command: Command) => (await import('./new.js')).createExtension(folder, command, context));
  extension
    .command('test')
    .description("Run a plugin's tests: its files *.test.ts and *.test.js")
    .argument('<folder>', 'The folder of its manifest.json')
    .addHelpText('after', '\nExample:\n  $ platform extension test ./acme.greetings')
    .action(async (folder: string, _options, _command: Command) => (await import('./test.js')).testExtension(folder, context));
  addOutputFlags(
    extension
      .command('pack')
      .description('Pack a plugin or a skill into a ZIP for publishing; the same input gives the same bytes')
      .argument('<folder>', 'The folder of its manifest.json')
      .option('--out <file>', 'Where to write the ZIP; - is standard output. Default: <id>-<version>.zip here')
      .option('--sign', 'Write your signature beside it, as <ZIP>.sig')
      .option('--key <file>', 'Sign with this private key. Default: your own')
      .addHelpText('after', '\nExample:\n  $ platform extension pack ./acme.greetings --out greetings.zip'),
  ).action(async (folder: string, _options, command: Command) => (await import('./pack.js')).packExtension(folder, command, context));
  addOutputFlags(
    extension
      .command('check')
      .description('Show the contents of a bundle, and all its faults')
      .argument('<path>', 'A ZIP, or the folder that would be packed')
      .addHelpText('after', '\nExample:\n  $ platform extension check acme.greetings-0.1.0.zip'),
  ).action(async (path: string, _options, command: Command) => (await import('./check.js')).checkExtension(path, command, context));
  addSigning(extension, context);
  addOutputFlags(
    extension
      .command('index')
      .description('Write the index.json of a folder of ZIPs, so that any web server can mirror it')
      .argument('<folder>', 'The folder of the ZIPs and their signatures')
      .addHelpText('after', '\nExample:\n  $ platform extension index ./bundles'),
  ).action(async (folder: string, _options, command: Command) => (await import('./index-folder.js')).indexFolder(folder, command, context));
}

function addSigning(extension: Command, context: Context): void {
  const key = ['--key <file>', 'Sign with this private key. Default: your own, created if there is none'] as const;
  addOutputFlags(
    extension
      .command('sign')
      .description('Write your signature beside a ZIP, as <ZIP>.sig')
      .argument('<file>', 'The ZIP')
      .option(...key)
      .addHelpText('after', '\nExample:\n  $ platform extension sign acme.greetings-0.1.0.zip'),
  ).action(async (file: string, _options, command: Command) => (await import('./sign.js')).signExtension(file, command, context));
  addOutputFlags(
    extension
      .command('publish')
      .description('Send a signed ZIP to the marketplace for review')
      .argument('<file>', 'The ZIP')
      .option(...key)
      .option('--no-sign', 'Do not sign')
      .addHelpText('after', '\nExample:\n  $ platform extension publish acme.greetings-0.1.0.zip'),
  ).action(async (file: string, _options, command: Command) => (await import('./publish.js')).publishExtension(file, command, context));
  addOutputFlags(
    extension
      .command('verify')
      .description('Show what a ZIP is and who signed it; fails unless hash, signature and approval agree')
      .argument('<file>', 'The ZIP; its signature is beside it as <ZIP>.sig, or on a platform')
      .option('--key <key>', 'The public key that must have signed it: base64, or a file in PEM')
      .option('--trust <file>', 'A list of accepted keys, as extension keys --json writes it')
      .option('--save', 'Save the signature from the platform beside the ZIP if it is valid, for a mirror')
      .addHelpText('after', '\nExample:\n  $ platform extension verify acme.greetings-0.1.0.zip --trust keys.json'),
  ).action(async (file: string, _options, command: Command) => (await import('./verify.js')).verifyExtension(file, command, context));
}
