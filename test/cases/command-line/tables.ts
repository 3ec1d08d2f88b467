import type { CommandCase } from './case.js';

const source = 'https://clig.dev/#output';
const terminal = { columns: 80, rows: 24 };

/** Answers on a terminal and in a pipe. */
export const tableCases: readonly CommandCase[] = [
  {
    name: '`call` prints a table on a terminal',
    source,
    place: 'server',
    terminal,
    line: 'platform call members.list',
    code: 0,
    shows: [/ID +USERNAME/, /1 +admin/],
    lacks: ['"items"'],
  },
  {
    name: '`call` prints a record on a terminal',
    source,
    place: 'server',
    terminal,
    line: `platform call members.get --json '{"id":1}'`,
    code: 0,
    shows: [/username: +admin/],
    lacks: ['"username"'],
  },
  {
    name: '`call` prints JSON in a pipe',
    source,
    place: 'server',
    line: 'platform call members.list',
    code: 0,
    shows: ['"items"'],
  },
  {
    name: 'the list of channels names the settings that each needs',
    source,
    place: 'server',
    terminal,
    line: 'platform notification channels',
    code: 0,
    shows: [/webhook +.* url, secret \(optional\)/],
  },
  {
    name: 'conversations without unread messages are not listed',
    source,
    place: 'server',
    terminal,
    line: 'platform chat open Plans > /dev/null && platform chat unread',
    code: 0,
    lacks: [/[0-9a-f]{8}-[0-9a-f]{4}-/, 'counts'],
  },
  {
    name: 'a conversation with an unread answer is listed by its title, between tabs in a pipe',
    source,
    place: 'server',
    line: 'platform chat send /help > /dev/null; for i in $(seq 50); do platform chat unread | grep "1$" && exit; sleep 0.2; done',
    code: 0,
    shows: [/^[0-9a-f-]{36}\t.+\t1$/m],
    lacks: ['{'],
  },
  {
    name: 'preferences have labels on a terminal',
    source,
    place: 'server',
    terminal,
    line: 'platform notification preferences',
    code: 0,
    shows: [/webhook: enabled: false; sources: /],
  },
  {
    name: 'the source of a setting is seen beside its key',
    source,
    place: 'server',
    terminal,
    line: 'platform config',
    code: 0,
    shows: [/KEY +SOURCE +VALUE/, /host +default +127\.0\.0\.1/],
  },
];
