import { execFile, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import t from 'tap';
import { builtinCatalog } from '../../cli/catalog.js';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import { main, Running, shellFor } from './shell.js';

t.test('help lists the commands, including those of extensions, and exits with 0', async (t) => {
  const shell = await shellFor(t);
  const plain = await shell.run([]);
  const asked = await shell.run(['--help']);
  t.strictSame(plain, asked);
  t.strictSame([asked.code, asked.stderr], [0, '']);
  for (const word of ['serve', 'login', 'logout', 'whoami', 'call', 'doctor', 'member', 'Example:']) t.match(asked.stdout, word);
});

t.test('the built file runs on its own', async (t) => {
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(main, ['--help']);
  t.match(stdout, 'Usage: platform');
});

/** Runs a command line in this process: for what needs nothing but the command line. */
async function here(args: readonly string[]): Promise<{ code: number; stdout: string }> {
  let stdout = '';
  const out = Object.assign(new EventEmitter(), { write: (text: string) => (stdout += text) });
  const terminal = { env: {}, stdin: process.stdin, stdout: out, stderr: out } as unknown as Terminal;
  return { code: await run(new Command('platform'), args, terminal), stdout };
}

t.test('every command has help with an example', async (t) => {
  const authoring = ['new', 'test', 'pack', 'check'].map((command) => `extension ${command}`);
  const own = ['serve', 'login', 'logout', 'whoami', 'call', 'doctor', 'config', 'restore', ...authoring];
  const hinted = builtinCatalog().commands.map(({ command }) => command);
  t.ok(hinted.length > 5, 'the extensions have commands');
  for (const command of [...own, ...hinted]) {
    const { code, stdout } = await here([...command.split(' '), '--help']);
    t.equal(code, 0, command);
    t.match(stdout, new RegExp(`Usage: platform ${command}`), command);
    t.match(stdout, /\nExample:\n {2}\$ platform /, command);
  }
});

t.test('help for a command equals its --help', async (t) => {
  for (const [words, usage] of [
    [['help', 'member', 'list'], 'member list'],
    [['member', 'help', 'list'], 'member list'],
    [['help', 'serve'], 'serve'],
    [['help', 'chat', 'send'], 'chat send'],
  ] as const) {
    const shown = await here(words);
    t.strictSame(shown, await here([...usage.split(' '), '--help']), words.join(' '));
    t.match(shown.stdout, `Usage: platform ${usage} [options]`);
  }
  t.match(await here(['help']), { code: 0, stdout: /^Usage: platform \[options\] \[command\]/ });
  t.match((await here(['member', 'help'])).stdout, /^Usage: platform member \[options\] \[command\]/);
});

t.test('a deleting command has the usual aliases, and help names one of them', async (t) => {
  const deleting: [string, string][] = [
    ['schedule', 'rm'],
    ['node', 'rm'],
    ['extension', 'rm'],
    ['member', 'delete'],
    ['chat', 'delete'],
    ['token', 'revoke'],
  ];
  for (const [group, name] of deleting) {
    const words = ['rm', 'remove', 'delete'];
    for (const word of words) {
      const { code, stdout } = await here([group, word, '--help']);
      t.match([code, stdout], [0, new RegExp(`^Usage: platform ${group} ${name} \\[options\\] `)], `${group} ${word}`);
    }
    const { stdout: help } = await here([group, '--help']);
    t.strictSame(
      words.filter((word) => new RegExp(`^ {2}${word}\\b(?!-)|\\|${word}\\b`, 'm').test(help)),
      words.filter((word) => word === name),
    );
  }
});

t.test('help loads only commander and the command line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loaded-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const seen = join(folder, 'seen');
  const hooks = `import { appendFileSync } from 'node:fs';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  appendFileSync(${JSON.stringify(seen)}, JSON.stringify({ from: context.parentURL, to: found.url }) + '\\n');
  return found;
}`;
  writeFileSync(join(folder, 'hooks.mjs'), hooks);
  writeFileSync(join(folder, 'register.mjs'), `import { register } from 'node:module'; register('./hooks.mjs', import.meta.url);`);
  const shell = await shellFor(t, { NODE_OPTIONS: `--import=${join(folder, 'register.mjs')}` });
  t.equal((await shell.run(['--help'])).code, 0);
  const lines = readFileSync(seen, 'utf8').trimEnd().split('\n');
  const arrows = lines.map((line) => JSON.parse(line) as { from?: string; to: string });
  // From the program on: a test runner preloads modules of its own.
  const loaded = arrows.filter(({ to }) => to.endsWith('/dist/cli/main.js')).map(({ to }) => to);
  for (const url of loaded) {
    const next = arrows.filter(({ from, to }) => from === url && to.startsWith('file:') && !loaded.includes(to));
    loaded.push(...next.map(({ to }) => to));
  }
  t.ok(loaded.some((url) => url.endsWith('/cli/program.js')));
  const expected = [
    '/dist/cli/',
    '/node_modules/commander/',
    '/kernel/contract/failure.js',
    '/kernel/client/short-ids.js',
    '/kernel/client/system-reason.js',
    '/kernel/client/terminal-text.js',
  ];
  const others = loaded.filter((url) => !expected.some((part) => url.includes(part)));
  t.strictSame(others, []);
});

t.test('a usage error exits with 2 and is printed to standard error', async (t) => {
  const shell = await shellFor(t);
  const mistakes: [string[], RegExp][] = [
    [['nothing'], /unknown command 'nothing'/],
    [['member'], /Usage: platform member/],
    [['member', 'lits'], /unknown command 'lits'[\s\S]*Did you mean list\?/],
    [['nothing', '--help'], /unknown command 'nothing'/],
    [['member', 'lits', '-h'], /unknown command 'lits'[\s\S]*Did you mean list\?/],
    [['--url', 'http://127.0.0.1:1', 'memebr', '--help'], /unknown command 'memebr'[\s\S]*Did you mean member\?/],
    [['help', 'memebr'], /unknown command 'memebr'[\s\S]*Did you mean member\?/],
    [['help', 'member', 'lits'], /unknown command 'lits'[\s\S]*Did you mean list\?/],
    [['chat', 'sned', 'hello'], /unknown command 'sned'\n\(Did you mean send\?\)\nhint: add --help/],
    [['member', 'list', '--nix'], /unknown option '--nix'/],
    [['member', 'get'], /missing required argument 'id'/],
    [['call', 'members.list', '--json', '{'], /The input is not JSON/],
    [['call', 'members.list', '--json', '[]'], /must be a JSON object/],
    [['member', 'list', '--profile', 'none'], /There is no profile 'none'/],
    [['member', 'list', '--url', 'ftp://127.0.0.1'], /'ftp:\/\/127.0.0.1' is not a server address/],
    [['member', 'list', '--url', 'http://127.0.0.1:99999'], /99999' is not a server address/],
    [['login', '--url', 'ftp://127.0.0.1', '--username', 'admin', '--password-stdin'], /'ftp:\/\/127.0.0.1' is not a server address/],
    [['logout'], /not logged in/],
  ];
  for (const [args, message] of mistakes) {
    const { code, stdout, stderr } = await shell.run(args);
    t.strictSame([code, stdout], [2, ''], args.join(' '));
    t.match(stderr, message, args.join(' '));
    t.notMatch(stderr, /\n {4}at /, 'no stack is printed');
  }
});

t.test('without a server, a data folder or an address a command finds no platform and creates nothing', async (t) => {
  const shell = await shellFor(t, { PLATFORM_DATA_DIR: '' });
  const here = await shell.run(['member', 'list']);
  t.equal(here.code, 6);
  t.match(here.stderr, /^platform: There is no platform in \S+\/data\nhint: create one with: platform serve; or /);
  const there = await shell.run(['member', 'list', '--url', 'http://127.0.0.1:1']);
  t.equal(there.code, 6);
  t.match(there.stderr, /^platform: http:\/\/127\.0\.0\.1:1 can't be reached: nothing listens there\nhint: /);
  t.throws(() => readFileSync(join(shell.env.HOME ?? '', 'data')), { code: 'ENOENT' });
});

t.test('commands name an unreadable data folder instead of reporting a stopped server', async (t) => {
  const shell = await shellFor(t);
  mkdirSync(shell.data_dir, { mode: 0o000 });
  // Root may read every folder unless it lacks these capabilities.
  const restricted = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
  for (const args of [['status'], ['status', '--json'], ['member', 'list'], ['doctor'], ['config']]) {
    const [program = '', ...words] = [...restricted, process.execPath, main, ...args];
    const child = spawn(program, words, { env: shell.env, cwd: '/' });
    const { code, stdout, stderr } = await new Running(child).ended;
    t.strictSame([code, stdout], [4, ''], args.join(' '));
    const [message, hint] = stderr.split('\n');
    t.equal(message, `platform: The data folder ${shell.data_dir} can't be read by this user: permission denied`);
    t.match(hint, /^hint: run the command as the server's user.*--url/);
  }
  chmodSync(shell.data_dir, 0o700);
  t.match(await shell.run(['status']), { code: 6, stdout: /^state\tstopped: / });
});

t.test('--debug shows the stack of an error', async (t) => {
  const shell = await shellFor(t);
  t.match(
    (await shell.run(['member', 'list', '--url', 'http://127.0.0.1:1', '--debug'])).stderr,
    /\n {4}at [\s\S]*caused by: .*ECONNREFUSED/,
  );
});

t.test('`config` shows the settings with their variables and masked secrets', async (t) => {
  const shell = await shellFor(t, { PLATFORM_ADMIN_PASSWORD: 'hunter2hunter2', PLATFORM_PORT: '81' });
  const { code, stdout, stderr } = await shell.run(['config']);
  t.equal(code, 0);
  t.match(stderr, `No server is running on ${shell.data_dir}`);
  t.match(stdout, /^port\t81\tenvironment PLATFORM_PORT\tPLATFORM_PORT\t/m);
  t.match(stdout, /^members\.admin_password\t\*{8}\tenvironment PLATFORM_ADMIN_PASSWORD\t/m);
  t.notMatch(stdout, /hunter2/);
  const rows = JSON.parse((await shell.run(['config', '--json', 'key,value'])).stdout) as object[];
  t.strictSame(
    rows.find((row) => (row as { key: string }).key === 'port'),
    { key: 'port', value: 81 },
  );
});

t.test('every command that needs a setting reports its wrong value', async (t) => {
  const shell = await shellFor(t, { PLATFORM_PORT: 'eighty', PLATFORM_LOG_LEVEL: 'loud' });
  for (const command of [['serve'], ['config'], ['member', 'list']]) {
    const { code, stderr } = await shell.run(command);
    t.equal(code, command[0] === 'serve' ? 1 : 2);
    t.match(
      stderr,
      /^platform: 2 settings are wrong: port \(PLATFORM_PORT\): .*; log_level \(PLATFORM_LOG_LEVEL\): .*\nhint: check the environment with: env .*\n$/,
    );
  }
});
