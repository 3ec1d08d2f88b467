import type { Rows } from '../row.js';

const id = '018f2c6e-0000-7000-8000-000000000000';

/**
 * Conversations, and the approvals that come up in them. Without a server nothing runs that a command has not begun, so what these
 * find has ended everywhere.
 */
export const chatRows: Rows = {
  'chat sessions': { says: /^\S+\t\/help\tai\t\d\t<time>\t/m },
  'chat session': { given: { [id]: 'session' }, says: /^\S+\t.*\tai\t/ },
  'chat messages': { given: { [id]: 'session' }, says: /\tadmin\tcompleted\t\/help\n/ },
  'chat message': { given: { [id]: 'message' }, says: /\tadmin\tcompleted\t\/help\n/ },
  'chat search': { given: { 'quarterly report': '=help' }, says: /\tcompleted\t\/help\n/ },
  'chat follow': { given: { [id]: 'message' }, says: /\/tools/ },
  'chat follow-task': { given: { [id]: 'task' }, says: /\/tools/ },
  'chat open': { says: /^\S+\tPlans for March\tai\t0\t/ },
  'chat send': { says: /^I am Assistant, an AI employee/ },
  'chat members': { given: { [id]: 'session' }, says: /^1\t/ },
  'chat add-plugin': { given: { [id]: 'session', 7: 'employee' }, says: /^/ },
  'chat remove-plugin': { given: { [id]: 'session', 7: 'employee' }, code: 3, says: /^$/, tells: /^platform: / },
  'room create': { given: { grace: 'member', assistant: 'employee' }, absent: 2, says: /^\S+\tLaunch\t3\t0\t0\t/ },
  'room list': { says: /^\S+\tPlans\t/m, differs: [/\b[0-9a-f]{8}\b/g] },
  'room find': { says: /^(\S+\t.+\n)*$/, shown: /ID|Nothing found/ },
  'room show': { given: { [id]: 'room' }, says: /^\S+\tPlans\t/ },
  'room members': { given: { [id]: 'room' }, says: /^1\tadmin\t/ },
  'room update': { given: { [id]: 'session' }, typed: [], code: 2, says: /^$/, tells: /is a conversation of two, not a room/ },
  'room join': { given: { Launch: 'open_room' }, says: /^\S+\tCoffee corner\t2\t/ },
  'room add': { given: { Launch: 'room', grace: 'leaver' }, says: /^\d+\tleaver\t/ },
  'room remove': { given: { [id]: 'room', 7: 'employee' }, says: /^$/ },
  'room role': { given: { Launch: 'room', grace: 'member' }, says: /^\d+\tada\t/ },
  'room notify': { given: { [id]: 'room' }, says: /^\w+\t/ },
  'room leave': { given: { [id]: 'left_room' }, says: /^$/ },
  'room end': { given: { [id]: 'ended_room' }, says: /^$/ },
  'chat edit': { given: { [id]: 'note' }, says: /./ },
  'chat delete-message': { given: { [id]: 'old_note' }, says: /^$/ },
  'chat react': { given: { [id]: 'message' }, says: /./ },
  'chat unreact': { given: { [id]: 'message' }, says: /^/ },
  'chat watch': { given: { [id]: 'session' }, interrupt: /^/, says: /^$/ },
  'chat read': { given: { [id]: 'session' }, says: /^\S+\t0\n$/ },

  'chat unread': { says: /^(\S+\t.+\t\d+\n)*$/, shown: /ID|Nothing found/, field: 'counts' },
  'chat contacts': { says: /^2\tAssistant\ttrue\t/m },
  'chat start': { given: { 7: 'member' }, says: /^\S+\ttrue\n$/, absent: 2 },
  'chat runs': { says: /^$/, shown: /^Nothing found\.\n$/ },
  'chat run': { given: { [id]: 'task' }, code: 3, says: /^$/, tells: /^platform: There is no run / },
  'chat image': {
    given: { '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08': 'image' },
    says: /^$/,
  },
  'chat image-thumbnail': {
    given: { '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08': 'image' },
    says: /^$/,
  },
  'chat thumbnail': { given: { [id]: 'file' }, code: 3, says: /^$/, tells: /^platform: There is no thumbnail/ },
  'chat upload': { says: /^\S+\treport\.pdf\tapplication\/pdf\t4\n$/ },
  'chat file': { given: { [id]: 'file' }, says: /^$/ },
  // Its file was uploaded in each place apart.
  'chat files': { says: /\treport\.pdf\t/, differs: [/<uuid>|\b[0-9a-f]{8}\b/g] },
  'chat delete-file': { given: { [id]: 'file' }, code: 5, says: /^$/, tells: /^platform: / },
  'chat export': { given: { Launch: 'session' }, says: /^/ },
  'chat report': { given: { [id]: 'message' }, code: 5, says: /^$/, tells: /is your own; you can delete it/ },
  'chat failed-tasks': { says: /^/ },
  'chat tasks': { says: /^/ },
  'chat task': { given: { [id]: 'task' }, says: /^\S+\tcompleted\t/ },
  'chat tell': { given: { [id]: 'task' }, code: 5, says: /^$/, tells: /^platform: Task \S+ is finished/ },
  'chat abort': { given: { [id]: 'message' }, says: /^false\tcompleted\n$/ },
  'chat cancel': { given: { [id]: 'task' }, says: /^false\tcompleted\n$/ },
  'chat stop-run': { given: { [id]: 'task' }, says: /^false\tcompleted\n$/ },
  'chat delete': { given: { [id]: 'old_session' }, says: /^$/ },
  'approvals list': { given: { pending: '=denied' }, says: /^\S+\tschedule\t.*\tdenied\t/m },
  'approvals show': { given: { [id]: 'approval' }, says: /^\S+\tschedule\t.*\tdenied\t/ },
  'approvals decide': { given: { [id]: 'approval' }, code: 5, says: /^$/, tells: /^platform: / },
  // Whoever talks on a terminal has read the reply: unread counts differ from here on.
  'chat talk': {
    given: { Ada: '=Assistant' },
    typed: [
      { at: />/, type: 'What can you do?\r' },
      { at: /offline responder[\s\S]*\n[^\n]*> /, type: '\u0004' },
    ],
    piped: { input: 'What can you do?\n' },
    says: /^I am Assistant, an AI employee/,
    shown: /I am Assistant, an AI employee/,
    // The line editor draws as it is typed.
    differs: [/[\s\S]*/],
  },
};
