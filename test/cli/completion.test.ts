import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import t, { type Test } from 'tap';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import type { ChatApi } from '../../extensions/chat/contract.js';
import { connect } from '../../kernel/client/connect.js';
import { direct } from '../../kernel/client/direct.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { fixture, ownExtension, startPlatform, temporaryFolder } from '../helpers/platform.js';
import { main } from './shell.js';

const nowhere = { PLATFORM_DATA_DIR: '/nonexistent/platform', XDG_CONFIG_HOME: '/nonexistent' };

/** Returns the completions of a command line. */
async function completions(words: readonly string[], env: Record<string, string> = nowhere): Promise<string[]> {
  let stdout = '';
  const out = Object.assign(new EventEmitter(), { write: (text: string) => (stdout += text) });
  const terminal = { env, stdin: process.stdin, stdout: out, stderr: out } as unknown as Terminal;
  await run(new Command('platform'), ['__complete', '--', ...words], terminal);
  return stdout.trimEnd().split('\n');
}

const values = async (...words: string[]) => (await completions(words)).map((line) => line.split('\t')[0]);

t.test('commands and subcommands are completed with their summaries', async (t) => {
  t.strictSame(await completions(['member', 'li']), ['list\tLists people and AI employees by page.', ':none']);
  t.match(await values('comp'), ['completion', ':none']);
  t.notMatch(await values(''), ['__complete']);
  t.strictSame(await values('--url', 'http://x', '--debug', 'member', 'cr'), ['create', ':none'], 'flags before the words are skipped');
  t.strictSame(await values('member', 'list', 'li'), [':none'], 'a command without subcommands completes none');
});

t.test('completes a deleting command only by its full name, and its flags after every word', async (t) => {
  t.strictSame(
    (await values('schedule', '')).filter((word) => ['rm', 'remove', 'delete'].includes(word ?? '')),
    ['rm'],
  );
  t.ok((await values('schedule', 'delete', '3', '--')).includes('--yes'));
});

t.test('flags of a command, and the global ones, are completed', async (t) => {
  t.strictSame(await values('member', 'list', '--page'), ['--page', '--page-size', ':none']);
  t.strictSame(await values('member', 'list', '--data'), ['--data-dir', ':none']);
  t.ok((await values('member', 'delete', '3', '--')).includes('--yes'));
  t.ok((await values('chat', '--')).includes('--room'), 'flags of the command that runs if none is named');
  t.notOk((await values('chat', 'send', '--')).includes('--to'));
});

t.test('completes the known values of flags and arguments', async (t) => {
  t.strictSame(await values('extension', 'search', '--type', ''), ['skill', 'plugin', ':none']);
  t.strictSame(await values('extension', 'search', '--type=p'), ['--type=plugin', ':none']);
  t.strictSame(await values('schedule', 'create', 'Name', ''), ['cron', 'interval', 'once', ':none']);
  t.strictSame(await values('completion', 'z'), ['zsh', ':none']);
  t.strictSame(await values('member', 'list', '--keyword', ''), [':none'], 'a free text has no completions');
});

t.test('completes files for arguments that are files', async (t) => {
  t.strictSame(await values('restore', './'), [':files']);
  t.strictSame(await values('backup', '--out', ''), [':files']);
  t.strictSame(await values('--config=./'), [':files']);
  t.strictSame(await values('chat', 'upload', ''), [':files']);
  t.strictSame(await values('chat', 'send', 'Hello', '--file', ''), [':files']);
  t.strictSame(await values('node', 'put', '1', ''), [':none'], 'a path on a work node is not completed with local files');
});

t.test('operations of installed plugins come from a running server, without opening a data folder', async (t) => {
  const { data_dir } = await startPlatform(t, { extensions: [ownExtension('members'), fixture('hello')] });
  const env = { ...nowhere, PLATFORM_DATA_DIR: data_dir };
  // A machine that is busy may be late once.
  const answered = (words: string[]) =>
    until(
      () => completions(words, env),
      ({ length }) => length > 1,
    );
  t.match(await answered(['x', 'h']), [/^hello/, ':none']);
  t.match(await answered(['x', 'hello', 'gr']), [/^greet/, ':none']);
  const empty = join(await temporaryFolder(t), 'data');
  t.strictSame(await completions(['x', ''], { ...nowhere, PLATFORM_DATA_DIR: empty }), [':none']);
  t.notOk(existsSync(empty));
});

t.test('names of records come from a running server', async (t) => {
  const { data_dir, kernel } = await startPlatform(t);
  const admin = connect<ChatApi>(kernel.operations(), direct(kernel));
  for (const title of ['Launch', 'Launch party', 'Lunch'])
    await admin.sessions.create({ title, target_type: 'room', target_id: '', member_ids: [] });
  const env = { ...nowhere, PLATFORM_DATA_DIR: data_dir };
  const found = async (...words: string[]) => {
    const lines = await until(
      () => completions(words, env),
      ({ length }) => length > 1,
    );
    return lines.map((line) => line.split('\t')[0]).sort();
  };
  t.strictSame(await found('room', 'show', 'La'), [':none', 'Launch', 'Launch party']);
  t.strictSame(await found('chat', 'send', '--room', 'Lu'), [':none', 'Lunch']);
  t.strictSame(await found('chat', 'send', '--room=Lu'), ['--room=Lunch', ':none']);
  t.strictSame(await found('chat', 'talk', '--room', 'Lu'), [':none', 'Lunch']);
  t.strictSame(await found('chat', '--room', 'Lu'), [':none', 'Lunch'], '`chat` alone is `chat talk`');
  t.strictSame(await found('chat', '--room=Lu'), ['--room=Lunch', ':none']);
  t.strictSame(await found('member', 'get', 'ad'), [':none', 'admin']);
  t.strictSame(await values('room', 'show', 'La'), [':none'], 'without a server there are none');
});

t.test('a server that does not respond is not waited for', async (t) => {
  const silent = createServer((socket) => socket.resume().on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => silent.close());
  const { port } = silent.address() as { port: number };
  const connections = promisify(silent.getConnections.bind(silent));
  for (const scheme of ['http', 'https']) {
    const begun = performance.now();
    t.strictSame(await completions(['--url', `${scheme}://127.0.0.1:${port}`, 'x', '']), [':none']);
    // An open handle would keep the process alive, and with it the shell.
    await until(connections, (count) => count === 0);
    t.ok(performance.now() - begun < 30_000, scheme);
  }
});

/** A folder in which `platform` is a program. */
async function programIn(t: Test): Promise<string> {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'platform'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(join(folder, 'platform'), 0o755);
  return folder;
}

async function inShell(t: Test, shell: string, args: readonly string[]): Promise<string[]> {
  const folder = await programIn(t);
  const env = { ...nowhere, PATH: `${folder}:${process.env.PATH}`, HOME: folder, TERM: 'xterm' };
  const { stdout, stderr } = await promisify(execFile)(shell, args, { env, cwd: folder });
  t.equal(stderr, '');
  return stdout.trimEnd().split('\n');
}

t.test('bash loads the script, splits words correctly, and executes nothing in them', { skip: skipWithout('bash') }, async (t) => {
  const script = `source <(platform completion bash); complete -p platform
    asked() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _platform_completion platform; echo "\${COMPREPLY[*]}"; }
    asked platform notifica
    asked platform --url http : //x member cr
    asked platform extension search --type = p
    asked platform '$(touch obeyed)' ''; ls`;
  const lines = await inShell(t, 'bash', ['--norc', '-c', script]);
  t.strictSame(lines, ['complete -o default -F _platform_completion platform', 'notification', 'create', 'plugin', '', 'platform']);
});

t.test('zsh loads the script and completes with it', { skip: skipWithout('zsh') }, async (t) => {
  const script = `zmodload zsh/zpty && zpty z zsh -f -i && zpty -w z 'PROMPT=; autoload -U compinit; compinit -u -D; source <(platform completion zsh); echo RE""ADY'
    zpty -r z out '*READY*'; zpty -w -n z $'platform notifica\\tli\\t --absent\\n'; zpty -r z out '*unknown option*'; print -r -- "$out"`;
  t.match((await inShell(t, 'zsh', ['-f', '-c', script])).join('\n'), /platform notification.*list.*unknown option/s);
});

t.test('fish loads the script and completes with it', { skip: skipWithout('fish') }, async (t) => {
  const ask = (line: string) => `complete -C '${line}'`;
  const script = ['platform completion fish | source', ask('platform member li'), ask('platform extension search --type=p')].join('\n');
  const lines = await inShell(t, 'fish', ['--no-config', '-c', script]);
  t.strictSame(lines, ['list\tLists people and AI employees by page.', '--type=plugin']);
});
