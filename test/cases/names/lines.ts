/** A command line of the administrator. `{session}`, `{message}`, `{task}` stand for ids of one conversation, cut by `:8` or `:-8`. */
export interface NameCase {
  name: string;
  source: string;
  argv: readonly string[];
  /** Parts of standard output, or of standard error if it fails. */
  says: readonly string[];
  code?: number;
  /** The answer to a question on a terminal; without one there is no terminal. */
  answer?: string;
  /** Parts of what a terminal shows, the question included. */
  shows?: readonly string[];
}

const gh = 'cli.github.com: manual, arguments by number, name or address';
const docker = 'https://docs.docker.com/reference/cli/docker/container/ls/: truncated ids';

export const nameCases: readonly NameCase[] = [
  { name: 'a member by its user name, in any case', source: gh, argv: ['member', 'get', 'MARY', '--json', 'username'], says: ['"mary"'] },
  {
    name: 'a member by the name that people read',
    source: gh,
    argv: ['member', 'get', 'Mary Jones', '--json', 'username'],
    says: ['"mary"'],
  },
  { name: 'digits alone are an id, also of a member called 12', source: gh, argv: ['member', 'get', '12'], code: 3, says: ['12'] },
  { name: 'a sign before it forces a name', source: gh, argv: ['member', 'get', '@12', '--json', 'nickname'], says: ['Twelve'] },
  {
    name: 'a misspelt name suggests the near one',
    source: 'tj/commander.js: README, suggestions after errors',
    argv: ['member', 'get', 'marry'],
    code: 3,
    says: ["There is no member 'marry'", 'mary'],
  },
  {
    name: 'a name of several lists them all and changes nothing',
    source: 'the rule: a name that several have names none of them',
    argv: ['member', 'delete', 'Sam Smith', '--yes'],
    code: 5,
    says: ["'Sam Smith' matches several records", 'sam1', 'sam2'],
  },
  { name: 'an AI employee by its name', source: gh, argv: ['employee', 'show', 'Otto', '--json', 'name'], says: ['Otto'] },
  {
    name: 'a person is no AI employee',
    source: gh,
    argv: ['employee', 'show', 'mary'],
    code: 3,
    says: ["There is no AI employee 'mary'"],
  },
  {
    name: 'an option that holds an id takes a name',
    source: gh,
    argv: ['chat', 'open', 'Talk', '--target-type', 'member', '--target-id', 'mary', '--json', 'title'],
    says: ['Talk'],
  },
  {
    name: 'a list of ids takes names among ids',
    source: gh,
    argv: ['notify', 'Lunch', 'Now', '--to', 'mary,1', '--to', '@12', '--json'],
    says: ['notification_ids'],
  },
  {
    name: 'words that stand for themselves are no names',
    source: gh,
    argv: ['employee', 'update', 'Otto', '--node-users', 'admins', '--json', 'node_users'],
    says: ['admins'],
  },
  {
    name: 'a list of members in a setting takes names',
    source: gh,
    argv: ['employee', 'update', 'Otto', '--node-users', 'mary', '--json', 'node_users'],
    says: ['['],
  },
  { name: 'a node by its name', source: gh, argv: ['node', 'show', 'box', '--json', 'name'], says: ['box'] },
  { name: 'a node that is misspelt', source: gh, argv: ['node', 'show', 'bax'], code: 3, says: ['Did you mean box?'] },
  { name: 'a schedule by its name', source: gh, argv: ['schedule', 'show', 'nightly backup', '--json', 'action'], says: ['chat.send'] },
  { name: 'a session by the end of its id', source: docker, argv: ['chat', 'session', '{session:-8}', '--json', 'title'], says: ['Plans'] },
  { name: 'a session by its whole id', source: docker, argv: ['chat', 'session', '{session}', '--json', 'title'], says: ['Plans'] },
  { name: 'a session by a long beginning', source: docker, argv: ['chat', 'session', '{session:30}', '--json', 'title'], says: ['Plans'] },
  {
    name: 'a message by the end of its id',
    source: docker,
    argv: ['chat', 'message', '{message:-6}', '--json', 'content'],
    says: ['hello there'],
  },
  {
    name: 'fewer than four characters are no id',
    source: docker,
    argv: ['chat', 'session', 'abc'],
    code: 2,
    says: ['at least 4 characters'],
  },
  {
    name: 'a beginning that several share lists them',
    source: docker,
    argv: ['chat', 'session', '{session:4}'],
    code: 5,
    says: ['matches several records', 'Plans'],
  },
  {
    name: "another's session is not found by a part of its id",
    source: 'CWE-639',
    argv: ['chat', 'session', '{foreign:-10}'],
    code: 3,
    says: ['There is no session'],
  },
  {
    name: 'a deletion of what is not there says so before it asks',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', '4711'],
    answer: 'y',
    code: 3,
    says: [],
    shows: ['4711'],
  },
  {
    name: 'a question names whom it is about',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', 'mary'],
    answer: 'n',
    code: 1,
    says: [],
    shows: ['Delete member mary (Mary Jones) with its chat sessions'],
  },
  {
    name: 'a question about a session names it by its title',
    source: 'cli.github.com: gh repo delete',
    argv: ['chat', 'delete', '{session:-8}'],
    answer: 'n',
    code: 1,
    says: [],
    shows: ['(Plans)'],
  },
  {
    name: 'a question about a schedule tells what it does',
    source: 'cli.github.com: gh repo delete',
    argv: ['schedule', 'rm', 'nightly backup'],
    answer: 'n',
    code: 1,
    says: [],
    shows: ['Delete schedule Nightly backup (interval 5m, chat.send)'],
  },
  {
    name: 'a password is not asked for before it is clear whose',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'reset-password', 'nobody-here'],
    answer: 'y',
    code: 3,
    says: [],
    shows: ["There is no member 'nobody-here'"],
  },
  {
    name: 'without a terminal member delete looks first',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', 'nobodyx'],
    code: 3,
    says: ["There is no member 'nobodyx'"],
  },
  {
    name: 'without a terminal member reset-password looks first',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'reset-password', 'nobodyx'],
    code: 3,
    says: ["There is no member 'nobodyx'"],
  },
  {
    name: 'without a terminal schedule rm looks first',
    source: 'cli.github.com: gh repo delete',
    argv: ['schedule', 'rm', 'Nope'],
    code: 3,
    says: ["There is no schedule 'Nope'"],
  },
  {
    name: 'without a terminal node rm looks first',
    source: 'cli.github.com: gh repo delete',
    argv: ['node', 'rm', 'nope'],
    code: 3,
    says: ["There is no work node 'nope'"],
  },
  {
    name: 'without a terminal chat delete looks first',
    source: 'cli.github.com: gh repo delete',
    argv: ['chat', 'delete', 'abcdef'],
    code: 3,
    says: ["There is no session 'abcdef'"],
  },
  {
    name: 'without a terminal token revoke looks first',
    source: 'cli.github.com: gh repo delete',
    argv: ['token', 'revoke', 'nope'],
    code: 3,
    says: ["There is no token 'nope'"],
  },
  {
    name: 'without a terminal the refusal names the target as a question does',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', 'mary'],
    code: 2,
    says: ['This needs a confirmation: Delete member mary (Mary Jones) with'],
  },
  {
    name: 'an id of an approval has the right article',
    source: 'the rule: plain English',
    argv: ['approvals', 'show', 'abc'],
    code: 2,
    says: ["'abc' is not the id of an approval"],
  },
  {
    name: 'a conversation with a person is opened by another command',
    source: gh,
    argv: ['chat', '--to', 'mary'],
    code: 3,
    says: ["'mary' is a person, not an AI employee", 'platform chat start @mary'],
  },
];
