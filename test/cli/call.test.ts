import t, { type Test } from 'tap';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { until } from '../helpers/eventually.js';
import { fixture, ownExtension } from '../helpers/platform.js';
import { type Shell, shellFor } from './shell.js';

/** A platform in this process with a plugin that the command line doesn't know, or with other ones. */
async function withPlugin(t: Test, plugins = [fixture('hello')]): Promise<Shell> {
  const shell = await shellFor(t);
  const config = loadConfig({ env: shell.env, overrides: { log_level: 'silent' } });
  const kernel = await boot(config, {
    listen: true,
    background: true,
    extensions: [ownExtension('system'), ownExtension('members'), ...plugins],
  });
  t.teardown(() => kernel.close());
  return shell;
}

t.test('operations of an installed plugin become commands', async (t) => {
  const shell = await withPlugin(t);
  t.match((await shell.run(['x'])).stdout, /^x hello greet\tGreets somebody by name\.$/m);
  t.strictSame(await shell.run(['x', 'hello', 'greet', '--name', 'Ada']), { code: 0, stdout: 'Hello, Ada\t1.0.0\n', stderr: '' });
  t.strictSame(JSON.parse((await shell.run(['x', 'hello', 'greet', '--name', 'Ada', '--json'])).stdout), {
    greeting: 'Hello, Ada',
    version: '1.0.0',
  });
  t.match(await shell.run(['x', 'hello', 'greet', '--name', 'Ada', '--json', 'greeting,nothing']), {
    code: 2,
    stderr: /There is no field 'nothing'\nhint: there are: greeting, version/,
  });
  t.equal((await shell.run(['x', 'hello', 'remember', 'colour', '--value', '"red"'])).code, 0);
  t.equal((await shell.run(['x', 'hello', 'recall', 'colour'])).stdout, 'red\n');
  const help = await shell.run(['x', 'hello', 'greet', '--help']);
  t.match(
    [help.code, help.stdout],
    [0, /Usage: platform x hello greet[\s\S]*--name <text>[\s\S]*Example:\n {2}\$ platform x hello greet --name text/],
  );
  t.match(await shell.run(['x', '--help']), { code: 0, stdout: /Usage: platform x \[extension\] \[operation\.\.\.\]/ });
  t.match((await shell.run(['x', 'hello', '--help'])).stdout, /greet[\s\S]*Greets somebody by name\./);
  t.match(await shell.run(['x', 'hello', 'greet']), { code: 2, stderr: /required option '--name <text>' not specified/ });
  t.match(await shell.run(['x', 'hello', 'great', '--help']), {
    code: 2,
    stdout: '',
    stderr: /unknown command 'great'[\s\S]*Did you mean greet\?/,
  });
  t.match(await shell.run(['x', 'nothing', 'at-all']), {
    code: 3,
    stderr: /There is no active plugin 'nothing' with operations\nhint: there are: hello\n/,
  });
});

t.test('an unknown plugin, and the absence of plugins with operations, are reported', async (t) => {
  const shell = await withPlugin(t, []);
  const stderr = 'No installed plugin has operations. Find plugins with: platform extension search --type plugin\n';
  t.strictSame(await shell.run(['x']), { code: 0, stdout: '', stderr });
  t.match(await shell.run(['x', 'hello', 'greet']), {
    code: 3,
    stderr: /There is no active plugin 'hello' with operations\nhint: find plugins with: platform extension search/,
  });
});

t.test('a command whose --json selects an unknown field does nothing', async (t) => {
  const shell = await withPlugin(t);
  const create = (json: string) => shell.run(['member', 'create', 'ada', '--password-stdin', '--json', json], 'correct horse');
  t.match(await create('id,nothing'), { code: 2, stdout: '', stderr: /There is no field 'nothing'\nhint: there are: id, username,/ });
  t.match(await create('{"nickname":"Ada"}'), { code: 2, stdout: '', stderr: /--json selects fields of the response/ });
  t.notMatch((await shell.run(['member', 'list'])).stdout, 'ada');
  t.match(JSON.parse((await create('id,username')).stdout), { username: 'ada' });
});

t.test('in a pipe a person without a password is rejected with the flag that passes one', async (t) => {
  const shell = await withPlugin(t);
  const stderr = 'platform: A person needs a password of 8 to 256 characters\nhint: pipe it in with --password-stdin\n';
  t.strictSame(await shell.run(['member', 'create', 'bob']), { code: 2, stdout: '', stderr });
  const short = await shell.run(['member', 'create', 'bob', '--password-stdin'], 'short');
  t.match([short.code, short.stderr], [2, /password/]);
  t.notMatch(short.stderr, 'pipe it in', 'the hint is omitted if the flag was given');
});

t.test('any operation can be called with its input as JSON', async (t) => {
  const shell = await withPlugin(t);
  t.match((await shell.run(['call'])).stdout, /^hello\.greet\tGreets somebody by name\.\nhello\.heard\t/m);
  t.strictSame(JSON.parse((await shell.run(['call', 'hello.greet', '--json', '{"name":"Ada"}'])).stdout), {
    greeting: 'Hello, Ada',
    version: '1.0.0',
  });
  t.strictSame(JSON.parse((await shell.run(['call', 'hello.greet', '--json', '-'], '{"name":"Bo"}')).stdout), {
    greeting: 'Hello, Bo',
    version: '1.0.0',
  });
  t.match(await shell.run(['call', 'hello.refuse', '--json', '{"how":"failure"}']), {
    code: 5,
    stdout: '',
    stderr: 'platform: Hello refuses, as asked\n',
  });
  const crash = await shell.run(['call', 'hello.refuse', '--json', '{"how":"crash"}']);
  t.match([crash.code, crash.stderr], [1, /\(internal_error, request \S+\)/]);
  t.notMatch(crash.stderr, /a secret detail/);
  t.match(await shell.run(['call', 'hello.greet']), { code: 2, stderr: /"name" is required/ });
  const surplus = await shell.run(['call', 'hello.greet', '--json', '{"name":"Ada"}', '--file', 'package.json']);
  t.match(surplus, { code: 2, stderr: /'hello.greet' does not accept a file\nhint: leave out --file/ });
});

t.test('a stream prints a line of JSON for each event', async (t) => {
  const shell = await withPlugin(t);
  const { code, stdout } = await shell.run(['call', 'hello.count', '--json', '{"to":2}']);
  t.equal(code, 0);
  t.strictSame(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [1, 2].map((n) => ({ id: `count.${n}`, type: 'tick', n, version: '1.0.0' })),
  );
});

t.test('Ctrl-C ends a stream with 130', async (t) => {
  const shell = await withPlugin(t);
  const running = shell.start(['call', 'hello.count', '--json', '{"to":1000,"every_ms":100}']);
  await running.shows('"n":2');
  running.child.kill('SIGINT');
  t.match(await running.ended, { code: 130, stderr: '' });
});

t.test('a reader that leaves early ends the stream without an error', async (t) => {
  const shell = await withPlugin(t);
  const running = shell.start(['call', 'hello.count', '--json', '{"to":1000,"every_ms":5}']);
  await running.shows('"n":2');
  running.child.stdout?.destroy();
  await until(
    () => running.child.exitCode,
    (code) => code !== null,
  );
  t.equal(running.stderr, '');
});
