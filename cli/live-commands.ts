import type { Command } from 'commander';
import { addOutputFlags, type Context, group, waitOption } from './command.js';

/** Commands that stay: a conversation, and what happens as it happens. */
export function addLive(program: Command, context: Context): void {
  group(program, 'chat')
    .command('talk', { isDefault: true })
    .description('Talk with an AI employee; `chat` alone does the same. In a pipe each line is a message, and the replies are the output')
    .option('--to <employee>', 'The user name, name or id of the AI employee. Default: the one who answers where nobody is named')
    .option('--session <id>', 'Go on with this conversation')
    .addOption(waitOption())
    .allowExcessArguments()
    .addHelpText('after', "\nExample:\n  $ platform chat\n  $ platform chat talk --to Ada\n  $ echo 'What can you do?' | platform chat")
    .action(async (_options, command: Command) => (await import('./conversation/talk.js')).talk(command, context));
  addOutputFlags(
    group(program, 'chat')
      .command('unread')
      .description('List the conversations that have unread messages')
      .addHelpText('after', '\nExample:\n  $ platform chat unread'),
  ).action(async (_options, command: Command) => (await import('./conversation/unread.js')).listUnread(command, context));
  addOutputFlags(
    program
      .command('tail')
      .description(
        'Show what happens as it happens: what concerns you, and the topics that you name. A line each on a terminal, JSON lines elsewhere',
      )
      .option('--after <cursor>', 'Begin with what came after this cursor, as far as it is kept: what concerns you is, topics are not')
      .option(
        '--topics <names>',
        'Topics, separated by commas: extensions, nodes, schedules, log, presence, typing, and what plugins add. Default: the first three',
      )
      .option('--count <number>', 'End after so many events')
      .option('--for <time>', 'End after so long, as 90s, 10m or 2h')
      .addHelpText('after', '\nExample:\n  $ platform tail --topics log,nodes --for 1s'),
  ).action(async (_options, command: Command) => (await import('./tail.js')).tail(command, context));
}
