/** A command line for a node, and the request that it must send. */
export interface TypedCase {
  name: string;
  source: string;
  typed: readonly string[];
  /** The body of the request; undefined if the line is refused before. */
  sent?: { command: string | readonly string[]; user?: string; timeout_s?: number };
  code?: number;
}

const docker = 'https://docs.docker.com/reference/cli/docker/container/exec/';
const kubectl = 'https://kubernetes.io/docs/reference/kubectl/generated/kubectl_exec/';
const posix = 'POSIX.1-2024, XBD 12.2, guideline 10';

export const typed: readonly TypedCase[] = [
  { name: 'one word is a text for the shell', source: docker, typed: ['1', 'ls'], sent: { command: 'ls' } },
  { name: 'a text with blanks stays one text', source: docker, typed: ['1', 'ls -l | wc'], sent: { command: 'ls -l | wc' } },
  { name: 'several words are a program and its arguments', source: docker, typed: ['1', 'echo', 'hi'], sent: { command: ['echo', 'hi'] } },
  {
    name: 'a quoted argument stays one argument',
    source: docker,
    typed: ['1', 'sh', '-c', 'echo "a b"; exit 3'],
    sent: { command: ['sh', '-c', 'echo "a b"; exit 3'] },
  },
  { name: 'an empty argument is kept', source: posix, typed: ['1', 'printf', '%s', ''], sent: { command: ['printf', '%s', ''] } },
  { name: 'flags after the first word belong to the command', source: docker, typed: ['1', 'ls', '-la'], sent: { command: ['ls', '-la'] } },
  { name: 'words after -- are the command', source: kubectl, typed: ['1', '--', 'ls', '-la'], sent: { command: ['ls', '-la'] } },
  { name: 'a -- before the id changes nothing', source: posix, typed: ['--', '1', 'ls', '-la'], sent: { command: ['ls', '-la'] } },
  {
    name: 'a second -- belongs to the command',
    source: posix,
    typed: ['1', '--', 'git', '--', 'x'],
    sent: { command: ['git', '--', 'x'] },
  },
  { name: 'a -- within the command is kept', source: posix, typed: ['1', 'rm', '--', '-f'], sent: { command: ['rm', '--', '-f'] } },
  {
    name: 'a flag that the platform has too belongs to the command',
    source: docker,
    typed: ['1', 'curl', '--url', 'http://example.org'],
    sent: { command: ['curl', '--url', 'http://example.org'] },
  },
  {
    name: '--help after the command belongs to the command',
    source: docker,
    typed: ['1', 'npm', '--help'],
    sent: { command: ['npm', '--help'] },
  },
  {
    name: '--version after the command belongs to the command',
    source: docker,
    typed: ['1', 'python', '--version'],
    sent: { command: ['python', '--version'] },
  },
  { name: '-h after the command belongs to the command', source: docker, typed: ['1', 'df', '-h'], sent: { command: ['df', '-h'] } },
  {
    name: 'flags before the id belong to the platform',
    source: docker,
    typed: ['--user', 'root', '1', 'id', '-u'],
    sent: { command: ['id', '-u'], user: 'root' },
  },
  {
    name: 'flags between id and command belong to the platform',
    source: docker,
    typed: ['1', '--user=root', 'id', '-u'],
    sent: { command: ['id', '-u'], user: 'root' },
  },
  {
    name: 'flags after a single text belong to the platform',
    source: 'flags after the arguments work in every command',
    typed: ['1', 'sleep 9', '--timeout-s', '5'],
    sent: { command: 'sleep 9', timeout_s: 5 },
  },
  {
    name: 'flags after -- and one word belong to the command',
    source: kubectl,
    typed: ['1', '--', 'x', '--user', 'y'],
    sent: { command: ['x', '--user', 'y'] },
  },
  { name: 'a negative number is an argument', source: posix, typed: ['1', 'kill', '-9', '-1'], sent: { command: ['kill', '-9', '-1'] } },
  { name: 'a lone dash is an argument', source: posix, typed: ['1', 'cat', '-'], sent: { command: ['cat', '-'] } },
  { name: 'a missing command is a usage error', source: docker, typed: ['1'], code: 2 },
  { name: 'an unknown flag before the id is a usage error', source: docker, typed: ['--usr', 'root', '1', 'id'], code: 2 },
];

/** Events of a command, and the output that they give here. Outputs are `latin1`: a character for each byte. */
export interface PassedCase {
  name: string;
  source: string;
  events: readonly { type: string; data: object }[];
  /** The outputs that are terminals. */
  terminals?: readonly ('stdout' | 'stderr')[];
  flags?: readonly string[];
  /** Given instead of events. */
  refusal?: { status: number; code: string };
  code: number;
  stdout: string;
  stderr: string | RegExp;
}

const output = (delta: string, base64?: string) => ({ type: 'output', data: { stream: 'stdout', delta, ...(base64 && { base64 }) } });
const error = (delta: string) => ({ type: 'output', data: { stream: 'stderr', delta } });
const ended = (exit_code: number | null, more: object = {}) => ({
  type: 'exit',
  data: { exit_code, timed_out: false, truncated: false, duration_ms: 1, ...more },
});
const both = ['stdout', 'stderr'] as const;
const ssh = 'https://man.openbsd.org/ssh#EXIT_STATUS';
const timeout = 'https://www.gnu.org/software/coreutils/manual/html_node/timeout-invocation.html';
const run = 'https://docs.docker.com/engine/containers/run/#exit-status';

export const passed: readonly PassedCase[] = [
  {
    name: 'a successful command exits with 0 and adds no output',
    source: ssh,
    events: [output('a\n'), ended(0)],
    code: 0,
    stdout: 'a\n',
    stderr: '',
  },
  {
    name: 'the exit code is that of the command',
    source: 'kubernetes/kubernetes#26424',
    events: [ended(3)],
    code: 3,
    stdout: '',
    stderr: '',
  },
  { name: 'an exit code that the platform uses too is passed on', source: ssh, events: [ended(130)], code: 130, stdout: '', stderr: '' },
  { name: 'the highest exit code is passed on', source: ssh, events: [ended(255)], code: 255, stdout: '', stderr: '' },
  {
    name: 'a command ended by a signal exits with 128 plus its number',
    source: 'POSIX.1-2024, XCU 2.8.2',
    events: [ended(139)],
    code: 139,
    stdout: '',
    stderr: '',
  },
  {
    name: 'a timed-out command exits with 124',
    source: timeout,
    events: [ended(null, { timed_out: true })],
    code: 124,
    stdout: '',
    stderr: /exceeded its time limit.*--timeout-s/,
  },
  {
    name: 'an unknown end of the command exits with 125',
    source: 'kubernetes/kubectl#1208',
    events: [ended(null)],
    code: 125,
    stdout: '',
    stderr: /is unknown/,
  },
  {
    name: 'an offline node exits with 125',
    source: run,
    events: [],
    refusal: { status: 503, code: 'node_offline' },
    code: 125,
    stdout: '',
    stderr: /^platform: /,
  },
  {
    name: 'a command refused by the engine exits with 125',
    source: run,
    events: [],
    refusal: { status: 502, code: 'engine_error' },
    code: 125,
    stdout: '',
    stderr: /^platform: /,
  },
  {
    name: 'a text command on an image without a shell exits with 125',
    source: run,
    refusal: { status: 409, code: 'no_shell' },
    code: 125,
    events: [],
    stdout: '',
    stderr: /^platform: /,
  },
  {
    name: 'an unknown node exits with 3, as for every command',
    source: 'docs/using/command-line.md: exit codes',
    events: [],
    refusal: { status: 404, code: 'node_not_found' },
    code: 3,
    stdout: '',
    stderr: /^platform: /,
  },
  { name: 'no line feed is added to the output', source: ssh, events: [output('no end'), ended(0)], code: 0, stdout: 'no end', stderr: '' },
  {
    name: 'output bytes that are not UTF-8 are unchanged',
    source: ssh,
    events: [output('\ufffdA', '/0E='), ended(0)],
    code: 0,
    stdout: '\u00ffA',
    stderr: '',
  },
  { name: 'a NUL in the output is kept', source: ssh, events: [output('a\0b'), ended(0)], code: 0, stdout: 'a\0b', stderr: '' },
  {
    name: 'a carriage return in the output is kept',
    source: ssh,
    events: [output('a\r\n'), ended(0)],
    code: 0,
    stdout: 'a\r\n',
    stderr: '',
  },
  {
    name: 'escapes in the output are kept in a pipe',
    source: ssh,
    events: [output('\u001B[1mx'), ended(0)],
    code: 0,
    stdout: '\u001B[1mx',
    stderr: '',
  },
  { name: 'UTF-8 in the output is unchanged', source: ssh, events: [output('é'), ended(0)], code: 0, stdout: '\u00c3\u00a9', stderr: '' },
  {
    name: 'standard output and standard error stay separate',
    source: ssh,
    events: [output('o'), error('e\n'), ended(1)],
    code: 1,
    stdout: 'o',
    stderr: 'e\n',
  },
  {
    name: 'escapes in the output are removed on a terminal',
    source: 'CWE-150',
    events: [output('\u001B]0;x\u0007ok\n'), ended(0)],
    terminals: both,
    code: 0,
    stdout: 'ok\n',
    stderr: '',
  },
  {
    name: 'escapes in standard error are removed on a terminal, while a piped output is unchanged',
    source: 'CWE-150',
    events: [output('\u001B[2J'), error('\u001B[2Jbad\n'), ended(0)],
    terminals: ['stderr'],
    code: 0,
    stdout: '\u001B[2J',
    stderr: 'bad\n',
  },
  {
    name: 'the exit code is shown on a terminal',
    source: ssh,
    events: [ended(4)],
    terminals: both,
    code: 4,
    stdout: '',
    stderr: /exit code 4/,
  },
  {
    name: 'truncated output is reported',
    source: ssh,
    events: [output('x'), ended(0, { truncated: true })],
    code: 0,
    stdout: 'x',
    stderr: /is truncated here/,
  },
  {
    name: 'with --json the exit code is that of the command too',
    source: ssh,
    events: [ended(7)],
    flags: ['--json'],
    code: 7,
    stdout: '{"type":"exit","exit_code":7,"timed_out":false,"truncated":false,"duration_ms":1}\n{"type":"done"}\n',
    stderr: '',
  },
];
