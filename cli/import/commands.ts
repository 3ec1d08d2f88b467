import { type Command, Option } from 'commander';
import { addOutputFlags, type Context, group } from '../command.js';
import type { Source } from './import.js';

interface SourceCommand {
  argument: string;
  about: string;
  description: string;
  example: string;
}

const sources: Readonly<Record<Source, SourceCommand>> = {
  mattermost: {
    argument: 'export',
    about: 'The bulk export: a JSONL file with its folder data beside it, or the ZIP with both',
    description: 'Import members, rooms, messages, reactions and files from Mattermost',
    example: 'platform import mattermost ./bulk.jsonl --dry-run',
  },
  slack: {
    argument: 'export',
    about: 'The ZIP that Slack makes of a workspace',
    description: 'Import members, rooms, messages and reactions from Slack',
    example: 'platform import slack ./export.zip --dry-run',
  },
  'open-webui': {
    argument: 'export',
    about: 'The JSON file with chats',
    description: 'Import the chats of members from Open WebUI',
    example: 'platform import open-webui ./chats.json --owner ada --dry-run',
  },
};

/** Adds the commands that import exports of other products. */
export function addImports(program: Command, context: Context): void {
  const parent = group(program, 'import').description('Import exports of other products');
  for (const [source, { argument, about, description, example }] of Object.entries(sources)) {
    const command = parent
      .command(source)
      .description(description)
      .argument(`<${argument}>`, about)
      .option('--dry-run', 'Check the export and show what would be made; change nothing')
      .option('--from <name>', 'A name for the installation that the export comes from, if you import from several');
    if (source === 'open-webui') command.addOption(ownerOption());
    addOutputFlags(command)
      .addHelpText(
        'after',
        `
Runs on the server's machine, also while the server runs. An export that is damaged changes nothing.
Repeat the command after an interruption, or with a newer export: nothing is made twice.

Example:
  $ ${example}`,
      )
      .action(async (path: string, _options, command: Command) =>
        (await import('./import.js')).runImport(source as Source, path, { command, context }),
      );
  }
}

function ownerOption(): Option {
  return new Option('--owner <member>', 'The user name of the owner; for several users as <user id>=<user name> (repeatable)').argParser(
    (owner, previous: string[] | undefined) => [...(previous ?? []), owner],
  );
}
