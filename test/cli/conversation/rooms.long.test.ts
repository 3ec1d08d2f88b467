import t from 'tap';
import { type Running, shellFor, withoutTerminal } from '../shell.js';

const shell = await shellFor(t);
const server = await shell.serve(t);
const password = 'correct-horse-battery';

/** Types a line, and waits for what it shows. */
async function enter(running: Running, line: string, shown: string | RegExp): Promise<void> {
  running.stdout = '';
  running.type(`${line}\r`);
  await running.shows(shown);
}

await shell.run(['member', 'create', 'grace', '--nickname', 'Grace Hopper', '--password-stdin'], password);
await shell.run(['member', 'create', 'ben', '--password-stdin'], password);
for (const name of ['Ada', 'Otto']) await shell.run(['employee', 'create', name, '--post', 'Assistant']);
await shell.run(['room', 'create', 'Launch', '--member', 'grace', '--member', 'ada', '--member', 'otto']);
const grace = shell.with({ PLATFORM_DATA_DIR: '', XDG_CONFIG_HOME: `${shell.env.HOME}/grace` });
await grace.run(['login', '--url', server.url, '--username', 'grace', '--password-stdin'], password);

t.test('in a pipe the answers of several AI employees follow each other, each below its name', async (t) => {
  for (const args of [
    ['chat', '--room', 'launch'],
    ['chat', 'send', '--room', 'Launch', '--follow', '@ada @otto Hello'],
  ]) {
    const { code, stdout, stderr } = await shell.run(args, '@ada @otto Hello\n');
    t.strictSame([code, stderr], [0, '']);
    t.match(stdout, /^(Ada|Otto):\nI am \1, [\s\S]*`\/help` to see them\.\n(Ada|Otto):\nI am \2, [\s\S]*`\/help` to see them\.\n$/);
  }
  t.match(await grace.run(['chat', '--room', 'launch'], 'Hi @ben\n'), {
    code: 0,
    stderr: /ben is not in this room and cannot see the message/,
  });
  t.match(await grace.run(['chat', '--room', 'lanch'], 'Hi\n'), { code: 3, stderr: /no session 'lanch'. Did you mean Launch\?/ });
  t.match(await grace.run(['chat', '--room', 'launch', '--to', 'ada'], 'Hi\n'), { code: 2, stderr: /--to and --room exclude each other/ });
});

t.test('two people and two AI employees talk, and an owner adds a mentioned person', { skip: withoutTerminal }, async (t) => {
  const [owner, member] = [
    shell.terminal(['chat', '--room', 'Launch'], { NO_COLOR: '1' }),
    grace.terminal(['chat', '--room', 'Launch'], { NO_COLOR: '1' }),
  ];
  await Promise.all([owner.shows(/the room 'Launch' with 4 members[\s\S]*> \S{0,6}$/), member.shows(/> \S{0,6}$/)]);
  owner.type('half a ');
  await enter(member, 'Hello', /> /);
  await owner.shows(/Grace Hopper:\r\nHello\r\n[\s\S]*> half a /);
  await enter(owner, 'line', /> /);
  await member.shows(/admin:\r\nhalf a line\r\n/);
  await enter(member, '@ada @otto /help', /Ada:\r\nI know these commands/);
  await owner.shows(/Ada:\r\nI know these commands/);
  owner.type('Hi @GR\t');
  await owner.shows('Hi @grace ');
  await enter(owner, 'and @ben', 'Add ben to this room? [y/n] ');
  await enter(owner, 'y', 'Added: ben');
  t.match((await shell.run(['room', 'members', 'Launch'])).stdout, /\tben\t/);
  for (const each of [owner, member]) {
    each.type('\u0003');
    t.equal((await each.ended).code, 130, 'without tasks of their own, Ctrl-C leaves');
  }
});
