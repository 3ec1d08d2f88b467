import t, { type Test } from 'tap';
import { type Shell, shellFor } from '../cli/shell.js';
import { skipWithout } from '../helpers/parts.js';
import { Screen } from './screen.js';

const skip = skipWithout('tmux');
const password = 'nanoseconds';

/** Opens what a name stands for, from whatever is on the screen. */
async function open(screen: Screen, text: string): Promise<void> {
  await screen.keys(':');
  await screen.shows(/^:_/m);
  await screen.type(text);
  await screen.keys('Enter');
}

/** A server with people, a schedule and a conversation. */
async function furnished(t: Test): Promise<{ shell: Shell; session_id: string }> {
  const shell = await shellFor(t);
  await shell.serve(t);
  for (const name of ['mary', '1234']) await shell.run(['member', 'create', name, '--password-stdin'], password);
  for (const name of ['sam1', 'sam2']) await shell.run(['member', 'create', name, '--nickname', 'Sam', '--password-stdin'], password);
  await shell.run(['schedule', 'create', 'nightly', 'interval', '12h', 'maintenance.cleanup']);
  const { stdout } = await shell.run(['chat', 'start', 'mary', '--json']);
  return { shell, session_id: (JSON.parse(stdout) as { session_id: string }).session_id };
}

t.test("a name or a partial id opens a record from the dashboard's command line", { skip }, async (t) => {
  const { shell, session_id } = await furnished(t);
  const members = JSON.parse((await shell.run(['member', 'list', '--json'])).stdout) as { items: { id: number; username: string }[] };
  const mary = members.items.find(({ username }) => username === 'mary');
  const screen = await Screen.open(t, shell);
  await screen.shows('Requests');

  await t.test('a user name opens the member', async () => {
    await open(screen, 'member mary');
    await screen.shows(/User name +mary/);
  });
  await t.test('digits alone are an id, and @ makes them a name', async () => {
    await open(screen, 'member 1');
    await screen.shows(/User name +admin/);
    await open(screen, 'member @1234');
    await screen.shows(/User name +1234/);
    await open(screen, `member ${mary?.id}`);
    await screen.shows(/User name +mary/);
  });
  await t.test("a schedule's name opens it", async () => {
    await open(screen, 'schedule nightly');
    await screen.shows(/Name +nightly/);
  });
  await t.test('a user name opens the conversation, and so does its id or a part of it', async () => {
    await open(screen, 'chat mary');
    await screen.shows('To admin, mary');
    await screen.keys('Escape');
    await screen.shows('<i> write');
    await screen.keys('Escape');
    await screen.shows('TITLE');
    for (const id of [session_id.slice(-8), session_id]) {
      await open(screen, `chat ${id}`);
      await screen.shows('To admin, mary');
      await screen.keys('Escape');
      await screen.shows('<i> write');
      await screen.keys('Escape');
      await screen.shows('TITLE');
    }
  });
  await t.test('an id opens an extension, a notification and a row of the audit trail', async () => {
    await open(screen, 'extension members');
    await screen.shows(/Operations +\w/);
    await shell.run(['notification', 'send', 'Lunch', 'The table is booked.']);
    const { stdout } = await shell.run(['notification', 'list', '--json']);
    const [note] = (JSON.parse(stdout) as { notifications: { id: number }[] }).notifications;
    await open(screen, `notification ${note?.id}`);
    await screen.shows('The table is booked.');
    const rows = JSON.parse((await shell.run(['audit', 'list', '--operation', 'schedules.create', '--json'])).stdout) as { id: number }[];
    await open(screen, `audit ${rows[0]?.id}`);
    await screen.shows(/Operation +schedules\.create/);
  });
  await t.test('a view without records opens with a remark', async () => {
    await open(screen, 'overview 5');
    await screen.shows("can't open records by name");
    await screen.shows('Requests');
  });
  await t.test('an error breaks between words, and a success removes it', async (t) => {
    await open(screen, 'member zzz');
    const lines = await screen.shows("There is no member 'zzz'");
    t.match(lines.join(' ').replace(/\s+/g, ' '), /list members with: platform member list/);
    await open(screen, 'member mary');
    await screen.shows(/User name +mary/);
    t.notMatch((await screen.lines()).join('\n'), 'zzz');
  });
  await t.test('an unknown name is reported with similar ones', async () => {
    await open(screen, 'member marry');
    await screen.shows("There is no member 'marry'. Did you mean mary?");
    await open(screen, 'node build-1');
    await screen.shows("There is no work node 'build-1'");
  });
  await t.test('an ambiguous name lists its matches and opens nothing', async () => {
    await open(screen, 'chat Sam');
    const text = (await screen.shows('matches several records')).join(' ');
    t.match(text, /sam1 \(\d+\), sam2 \(\d+\)/);
    await screen.keys('Escape');
    await screen.shows('<?> help');
    t.equal(JSON.parse((await shell.run(['chat', 'sessions', '--json'])).stdout).length, 1);
  });
});
