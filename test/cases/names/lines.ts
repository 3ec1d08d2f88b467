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
    name: 'a member by its nickname',
    source: gh,
    argv: ['member', 'get', 'Mary Jones', '--json', 'username'],
    says: ['"mary"'],
  },
  { name: 'digits alone are an id, even if a member is called 12', source: gh, argv: ['member', 'get', '12'], code: 3, says: ['12'] },
  { name: '@ before digits makes them a name', source: gh, argv: ['member', 'get', '@12', '--json', 'nickname'], says: ['Twelve'] },
  {
    name: 'a misspelt name comes with a similar one',
    source: 'tj/commander.js: README, suggestions after errors',
    argv: ['member', 'get', 'marry'],
    code: 3,
    says: ["There is no member 'marry'", 'mary'],
  },
  {
    name: 'an ambiguous name lists all matches and changes nothing',
    source: 'the rule: a name that several have names none of them',
    argv: ['member', 'delete', 'Sam Smith', '--yes'],
    code: 5,
    says: ["'Sam Smith' matches several records", 'sam1', 'sam2'],
  },
  { name: 'an AI employee by its name', source: gh, argv: ['employee', 'show', 'Otto', '--json', 'name'], says: ['Otto'] },
  {
    name: 'a person is not accepted as an AI employee',
    source: gh,
    argv: ['employee', 'show', 'mary'],
    code: 3,
    says: ["There is no AI employee 'mary'"],
  },
  {
    name: 'an option for an id accepts a name',
    source: gh,
    argv: ['chat', 'open', 'Talk', '--target-type', 'member', '--target-id', 'mary', '--json', 'title'],
    says: ['Talk'],
  },
  {
    name: 'a list of ids accepts names among them',
    source: gh,
    argv: ['notify', 'Lunch', 'Now', '--to', 'mary,1', '--to', '@12', '--json'],
    says: ['notification_ids'],
  },
  {
    name: 'reserved words are not looked up as names',
    source: gh,
    argv: ['employee', 'update', 'Otto', '--node-users', 'admins', '--json', 'node_users'],
    says: ['admins'],
  },
  {
    name: 'a list of members in a setting accepts names',
    source: gh,
    argv: ['employee', 'update', 'Otto', '--node-users', 'mary', '--json', 'node_users'],
    says: ['['],
  },
  { name: 'a node by its name', source: gh, argv: ['node', 'show', 'box', '--json', 'name'], says: ['box'] },
  {
    name: 'a misspelt node name comes with a similar one',
    source: gh,
    argv: ['node', 'show', 'bax'],
    code: 3,
    says: ['Did you mean box?'],
  },
  { name: 'a schedule by its name', source: gh, argv: ['schedule', 'show', 'nightly backup', '--json', 'action'], says: ['chat.send'] },
  { name: 'a session by the end of its id', source: docker, argv: ['chat', 'session', '{session:-8}', '--json', 'title'], says: ['Plans'] },
  { name: 'a session by its complete id', source: docker, argv: ['chat', 'session', '{session}', '--json', 'title'], says: ['Plans'] },
  { name: 'a session by a long beginning', source: docker, argv: ['chat', 'session', '{session:30}', '--json', 'title'], says: ['Plans'] },
  {
    name: 'a message by the end of its id',
    source: docker,
    argv: ['chat', 'message', '{message:-6}', '--json', 'content'],
    says: ['hello there'],
  },
  {
    name: 'fewer than four characters are not a partial id',
    source: docker,
    argv: ['chat', 'message', 'abc'],
    code: 2,
    says: ['at least 4 characters'],
  },
  {
    name: 'an ambiguous beginning of an id lists all matches',
    source: docker,
    argv: ['chat', 'session', '{session:4}'],
    code: 5,
    says: ['matches several records', 'Plans'],
  },
  {
    name: "another member's session is not found by a part of its id",
    source: 'CWE-639',
    argv: ['chat', 'session', '{foreign:-10}'],
    code: 3,
    says: ['There is no session'],
  },
  {
    name: 'a deletion of an unknown record fails before the question',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', '4711'],
    answer: 'y',
    code: 3,
    says: [],
    shows: ['4711'],
  },
  {
    name: 'a question names the affected member',
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
    name: 'a question about a schedule shows its action',
    source: 'cli.github.com: gh repo delete',
    argv: ['schedule', 'rm', 'nightly backup'],
    answer: 'n',
    code: 1,
    says: [],
    shows: ['Delete schedule Nightly backup (interval 5m, chat.send)'],
  },
  {
    name: 'a password is asked for only after its member was found',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'reset-password', 'nobody-here'],
    answer: 'y',
    code: 3,
    says: [],
    shows: ["There is no member 'nobody-here'"],
  },
  {
    name: 'without a terminal member delete looks up the member first',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', 'nobodyx'],
    code: 3,
    says: ["There is no member 'nobodyx'"],
  },
  {
    name: 'without a terminal member reset-password looks up the member first',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'reset-password', 'nobodyx'],
    code: 3,
    says: ["There is no member 'nobodyx'"],
  },
  {
    name: 'without a terminal schedule rm looks up the schedule first',
    source: 'cli.github.com: gh repo delete',
    argv: ['schedule', 'rm', 'Nope'],
    code: 3,
    says: ["There is no schedule 'Nope'"],
  },
  {
    name: 'without a terminal node rm looks up the node first',
    source: 'cli.github.com: gh repo delete',
    argv: ['node', 'rm', 'nope'],
    code: 3,
    says: ["There is no work node 'nope'"],
  },
  {
    name: 'without a terminal chat delete looks up the session first',
    source: 'cli.github.com: gh repo delete',
    argv: ['chat', 'delete', 'abcdef'],
    code: 3,
    says: ["There is no session 'abcdef'"],
  },
  {
    name: 'without a terminal token revoke looks up the token first',
    source: 'cli.github.com: gh repo delete',
    argv: ['token', 'revoke', 'nope'],
    code: 3,
    says: ["There is no token 'nope'"],
  },
  {
    name: 'without a terminal the error names the target as the question would',
    source: 'cli.github.com: gh repo delete',
    argv: ['member', 'delete', 'mary'],
    code: 2,
    says: ['This needs a confirmation: Delete member mary (Mary Jones) with'],
  },
  {
    name: 'a message about an approval uses the right article',
    source: 'the rule: plain English',
    argv: ['approvals', 'show', 'abc'],
    code: 2,
    says: ["'abc' is not the id of an approval"],
  },
  {
    name: 'talking to a person comes with a hint at the right command',
    source: gh,
    argv: ['chat', '--to', 'mary'],
    code: 3,
    says: ["'mary' is a person, not an AI employee", 'platform chat start @mary'],
  },
];
