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
  { name: "flags after the first word are the command's", source: docker, typed: ['1', 'ls', '-la'], sent: { command: ['ls', '-la'] } },
  { name: 'words after -- are the command', source: kubectl, typed: ['1', '--', 'ls', '-la'], sent: { command: ['ls', '-la'] } },
  { name: 'a -- before the id changes nothing', source: posix, typed: ['--', '1', 'ls', '-la'], sent: { command: ['ls', '-la'] } },
  { name: "a second -- is the command's", source: posix, typed: ['1', '--', 'git', '--', 'x'], sent: { command: ['git', '--', 'x'] } },
  { name: 'a -- within the command is kept', source: posix, typed: ['1', 'rm', '--', '-f'], sent: { command: ['rm', '--', '-f'] } },
  {
    name: "a flag that the platform has too is the command's",
    source: docker,
    typed: ['1', 'curl', '--url', 'http://example.org'],
    sent: { command: ['curl', '--url', 'http://example.org'] },
  },
  { name: "the command's own --help is not ours", source: docker, typed: ['1', 'npm', '--help'], sent: { command: ['npm', '--help'] } },
  { name: 'nor is its --version', source: docker, typed: ['1', 'python', '--version'], sent: { command: ['python', '--version'] } },
  { name: 'nor its -h', source: docker, typed: ['1', 'df', '-h'], sent: { command: ['df', '-h'] } },
  {
    name: 'flags before the id are ours',
    source: docker,
    typed: ['--user', 'root', '1', 'id', '-u'],
    sent: { command: ['id', '-u'], user: 'root' },
  },
  {
    name: 'flags between id and command are ours',
    source: docker,
    typed: ['1', '--user=root', 'id', '-u'],
    sent: { command: ['id', '-u'], user: 'root' },
  },
  {
    name: 'flags behind a single text are ours',
    source: 'flags after the arguments work in every command',
    typed: ['1', 'sleep 9', '--timeout-s', '5'],
    sent: { command: 'sleep 9', timeout_s: 5 },
  },
  {
    name: "flags behind -- and one word are the command's",
    source: kubectl,
    typed: ['1', '--', 'x', '--user', 'y'],
    sent: { command: ['x', '--user', 'y'] },
  },
  { name: 'a negative number is an argument', source: posix, typed: ['1', 'kill', '-9', '-1'], sent: { command: ['kill', '-9', '-1'] } },
  { name: 'a lone dash is an argument', source: posix, typed: ['1', 'cat', '-'], sent: { command: ['cat', '-'] } },
  { name: 'no command is wrong usage', source: docker, typed: ['1'], code: 2 },
  { name: 'an unknown flag before the id is wrong usage', source: docker, typed: ['--usr', 'root', '1', 'id'], code: 2 },
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
  { name: 'success is success, and adds nothing', source: ssh, events: [output('a\n'), ended(0)], code: 0, stdout: 'a\n', stderr: '' },
  { name: "the exit code is the command's", source: 'kubernetes/kubernetes#26424', events: [ended(3)], code: 3, stdout: '', stderr: '' },
  { name: 'a code that means something to us is passed on as well', source: ssh, events: [ended(130)], code: 130, stdout: '', stderr: '' },
  { name: 'the highest code is passed on', source: ssh, events: [ended(255)], code: 255, stdout: '', stderr: '' },
  {
    name: "a signal's end is 128 and its number",
    source: 'POSIX.1-2024, XCU 2.8.2',
    events: [ended(139)],
    code: 139,
    stdout: '',
    stderr: '',
  },
  {
    name: 'a time-out is 124',
    source: timeout,
    events: [ended(null, { timed_out: true })],
    code: 124,
    stdout: '',
    stderr: /exceeded its time limit.*--timeout-s/,
  },
  {
    name: 'an end that nobody knows is 125',
    source: 'kubernetes/kubectl#1208',
    events: [ended(null)],
    code: 125,
    stdout: '',
    stderr: /is unknown/,
  },
  {
    name: 'a node that is offline is 125',
    source: run,
    events: [],
    refusal: { status: 503, code: 'node_offline' },
    code: 125,
    stdout: '',
    stderr: /^platform: /,
  },
  {
    name: "an engine's refusal is 125",
    source: run,
    events: [],
    refusal: { status: 502, code: 'engine_error' },
    code: 125,
    stdout: '',
    stderr: /^platform: /,
  },
  {
    name: 'an image without a shell is no exit code of the command',
    source: run,
    refusal: { status: 409, code: 'no_shell' },
    code: 125,
    events: [],
    stdout: '',
    stderr: /^platform: /,
  },
  {
    name: 'a node that is not there is 3, as everywhere',
    source: 'docs/using/command-line.md: exit codes',
    events: [],
    refusal: { status: 404, code: 'node_not_found' },
    code: 3,
    stdout: '',
    stderr: /^platform: /,
  },
  { name: 'no line feed is added', source: ssh, events: [output('no end'), ended(0)], code: 0, stdout: 'no end', stderr: '' },
  {
    name: 'bytes that are not UTF-8 stay as they are',
    source: ssh,
    events: [output('\ufffdA', '/0E='), ended(0)],
    code: 0,
    stdout: '\u00ffA',
    stderr: '',
  },
  { name: 'a NUL stays', source: ssh, events: [output('a\0b'), ended(0)], code: 0, stdout: 'a\0b', stderr: '' },
  { name: 'a carriage return stays', source: ssh, events: [output('a\r\n'), ended(0)], code: 0, stdout: 'a\r\n', stderr: '' },
  { name: 'escapes stay in a pipe', source: ssh, events: [output('\u001B[1mx'), ended(0)], code: 0, stdout: '\u001B[1mx', stderr: '' },
  { name: 'UTF-8 stays', source: ssh, events: [output('é'), ended(0)], code: 0, stdout: '\u00c3\u00a9', stderr: '' },
  {
    name: 'the two outputs stay apart',
    source: ssh,
    events: [output('o'), error('e\n'), ended(1)],
    code: 1,
    stdout: 'o',
    stderr: 'e\n',
  },
  {
    name: 'escapes are taken out on a terminal',
    source: 'CWE-150',
    events: [output('\u001B]0;x\u0007ok\n'), ended(0)],
    terminals: both,
    code: 0,
    stdout: 'ok\n',
    stderr: '',
  },
  {
    name: 'and in errors on a terminal, while the pipe gets the bytes',
    source: 'CWE-150',
    events: [output('\u001B[2J'), error('\u001B[2Jbad\n'), ended(0)],
    terminals: ['stderr'],
    code: 0,
    stdout: '\u001B[2J',
    stderr: 'bad\n',
  },
  {
    name: 'people see the exit code on a terminal',
    source: ssh,
    events: [ended(4)],
    terminals: both,
    code: 4,
    stdout: '',
    stderr: /exit code 4/,
  },
  {
    name: 'output that was cut is said so',
    source: ssh,
    events: [output('x'), ended(0, { truncated: true })],
    code: 0,
    stdout: 'x',
    stderr: /is truncated here/,
  },
  {
    name: "with --json the exit code is the command's too",
    source: ssh,
    events: [ended(7)],
    flags: ['--json'],
    code: 7,
    stdout: '{"type":"exit","exit_code":7,"timed_out":false,"truncated":false,"duration_ms":1}\n{"type":"done"}\n',
    stderr: '',
  },
];
