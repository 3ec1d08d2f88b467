import type { CommandCase } from './case.js';

const rule = 'https://clig.dev/#errors: say how to fix it';
const fits = 'https://clig.dev/#output: human-readable on a terminal';
const terminal = { columns: 80, rows: 24 };

/** Slips of a newcomer and what helps, and texts on a terminal of 80 columns. */
export const hintCases: readonly CommandCase[] = [
  {
    name: 'an unknown member comes with a hint at the list',
    source: rule,
    place: 'server',
    line: 'platform member get nobody',
    code: 3,
    shows: ['hint: list members with: platform member list'],
  },
  {
    name: 'an unknown node comes with a hint at the list',
    source: rule,
    place: 'server',
    line: 'platform node stats nowhere',
    code: 3,
    shows: ['hint: list nodes with: platform node list'],
  },
  {
    name: 'an unknown schedule comes with a hint at the list',
    source: rule,
    place: 'server',
    line: 'platform schedule run never',
    code: 3,
    shows: ['hint: list schedules with: platform schedule list'],
  },
  {
    name: 'an unknown archive comes with a hint at the list',
    source: rule,
    place: 'nothing',
    line: 'platform restore ./nothing.tar --data-dir ./other',
    code: 3,
    shows: ['hint: list the backups on the server with: platform call backups.list'],
  },
  {
    name: 'a folder without an extension comes with the expected files',
    source: rule,
    place: 'nothing',
    line: 'platform extension check nowhere',
    code: 3,
    shows: ['hint: name the folder of an extension, or a ZIP'],
  },
  {
    name: 'a channel that is not configured comes with the settings it needs',
    source: rule,
    place: 'server',
    line: 'platform notification test email',
    code: 5,
    shows: ['hint: see what it needs with: platform call notifications.channels'],
  },
  {
    name: 'an unavailable engine comes with a fix',
    source: rule,
    place: 'server',
    line: 'platform node create box',
    code: 1,
    shows: [/hint: start Docker, or name another engine with: PLATFORM_DOCKER_HOST=/],
  },
  {
    name: 'an answer breaks between words',
    source: fits,
    place: 'server',
    terminal,
    line: 'platform chat send "What can you do?" --follow',
    code: 0,
    shows: [/no model is configured, so I cannot think\s+yet\. This is/],
    lacks: [/[^\r\n]{81}/],
  },
  {
    name: 'an answer in a pipe is unchanged',
    source: fits,
    place: 'server',
    line: 'platform chat send "What can you do?" --follow',
    code: 0,
    shows: ['no model is configured, so I cannot think yet. This is the built-in offline responder.'],
  },
  {
    name: 'a question breaks between words',
    source: fits,
    place: 'server',
    terminal,
    line: 'platform member delete admin',
    typed: 'n\n',
    code: 1,
    shows: [/This cannot be undone\.\r\n/, '[y/N]'],
    lacks: [/[^\r\n]{81}/],
  },
  {
    name: 'an error breaks between words',
    source: fits,
    place: 'server',
    terminal,
    line: 'platform node create box',
    code: 1,
    shows: [/is\r\nDocker running\?/, /hint: start Docker, or name another engine with:\r\nPLATFORM_DOCKER_HOST=\S+; see which/],
    lacks: [/platform: [^\r\n]{72}/],
  },
];
