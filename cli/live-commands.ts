import type { Command } from 'commander';
import { addOutputFlags, type Context, group, waitOption } from './command.js';

/** Adds the commands that stay connected: the conversation and the event stream. */
export function addLive(program: Command, context: Context): void {
  group(program, 'chat')
    .command('talk', { isDefault: true })
    .description(
      'Talk with an AI employee or in a room; `chat` alone does the same. In a pipe each line is a message, and the replies are the output',
    )
    .option('--to <employee>', 'The user name, name or id of the AI employee. Default: the default AI employee')
    .option('--session <id>', 'Continue this conversation: the id, or at least 4 characters of its beginning or end')
    .option('--room <room>', 'Talk in this room: its title, or the id like for --session')
    .addOption(waitOption())
    .allowExcessArguments()
    .addHelpText(
      'after',
      "\nExample:\n  $ platform chat\n  $ platform chat talk --to Ada\n  $ platform chat --room Launch\n  $ echo 'What can you do?' | platform chat",
    )
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
        'Show events as they happen: those that concern you, and the topics that you name. A line each on a terminal, JSON lines otherwise',
      )
      .option('--after <cursor>', 'Start after this cursor. Only events that concern you are stored; topics are not')
      .option(
        '--topics <names>',
        'Topics, separated by commas: extensions, nodes, schedules, log, presence, typing, and what plugins add. Default: the first three',
      )
      .option('--count <number>', 'Stop after this number of events')
      .option('--for <time>', 'Stop after this time, as 90s, 10m or 2h')
      .addHelpText('after', '\nExample:\n  $ platform tail --topics log,nodes --for 1s'),
  ).action(async (_options, command: Command) => (await import('./tail.js')).tail(command, context));
}
