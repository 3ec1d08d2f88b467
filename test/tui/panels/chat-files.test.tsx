import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import panel from '../../../extensions/chat/panel.js';
import { Failure } from '../../../kernel/contract/failure.js';
import { type Drawn, drawPanel } from '../drawn.js';
import { installation, message, room } from './chat-world.js';

const folder = t.testdir({ 'report.pdf': 'pdf', 'reports.txt': 'text', 'empty.txt': '', 'old.txt': 'Old', docs: { 'plan.md': 'plan' } });
const before = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(before));

const file = (id: string, name: string, bytes = 5) => ({ id, name, mime_type: 'text/plain', bytes, sha256: '' });

async function open(drawn: Drawn): Promise<Drawn> {
  await drawn.shows('# Launch');
  drawn.press('enter');
  await drawn.shows('To Launch');
  return drawn;
}

/** Types a path in place of what stands there. */
function type(drawn: Drawn, path: string): void {
  drawn.press('ctrl-u');
  drawn.type(path);
  drawn.press('enter');
}

t.test('files are attached with ctrl-f, named above the line, and sent with or without a text', async (t) => {
  const { calls, client } = installation({ sessions: [room()] });
  const drawn = await open(drawPanel(t, panel, { client }));
  drawn.press('ctrl-f');
  await drawn.shows('Attach a file to the next message');
  drawn.type('rep');
  drawn.press('tab');
  await drawn.shows('> file  report_');
  await drawn.shows('report.pdf  reports.txt');
  drawn.type('.pdf');
  drawn.press('enter');
  await drawn.shows('To Launch with report.pdf (3 B)');
  drawn.press('ctrl-f');
  await drawn.shows('Attached: report.pdf (3 B). An empty path removes this');
  type(drawn, 'docs/plan.md');
  await drawn.shows('To Launch with report.pdf (3 B), plan.md (4 B)');
  drawn.press('enter');
  await drawn.becomes(() => JSON.stringify(calls).includes('send'), 'sent');
  t.match(calls.slice(-3), [
    { upload: ['report.pdf', 'pdf'] },
    { upload: ['plan.md', 'plan'] },
    { send: { session_id: 'r1', content: '', files: ['id of report.pdf', 'id of plan.md'] } },
  ]);
  await drawn.loses(' with report.pdf');
  drawn.press('enter');
  drawn.type('Without');
  drawn.press('enter');
  await drawn.becomes(() => JSON.stringify(calls).includes('Without'), 'sent');
  t.strictSame(calls.at(-1), { send: { session_id: 'r1', content: 'Without' } });
});

t.test('a wrong path stays in the form, and an empty one removes what is attached', async (t) => {
  const { calls, client } = installation({ sessions: [room()] });
  const drawn = await open(drawPanel(t, panel, { client }));
  drawn.press('ctrl-f');
  await drawn.shows('Attach a file');
  for (const [path, reason] of [
    ['none.txt', "! 'none.txt' can't be read: there is no such file"],
    ['docs', "! 'docs' can't be sent: it is a folder"],
    ['empty.txt', "! 'empty.txt' can't be sent: it is empty"],
    ['/dev/null', "! '/dev/null' can't be sent: it is not a regular file"],
  ] as const) {
    type(drawn, path);
    await drawn.becomes(() => drawn.notices.at(-1) === reason, reason);
    await drawn.shows(`> file  ${path}_`);
  }
  type(drawn, 'report.pdf');
  await drawn.shows('To Launch with report.pdf');
  drawn.press('ctrl-f');
  await drawn.shows('An empty path removes this');
  drawn.press('enter');
  await drawn.shows(/^To Launch *$/m);
  drawn.press('enter');
  t.notMatch(JSON.stringify(calls), 'upload');
});

t.test('if an upload fails, nothing is sent and the text and the files stay', async (t) => {
  const { calls, client } = installation({ sessions: [room()] });
  const upload = async () => Promise.reject(new Failure('quota_exceeded', 'Your quota is full', { status: 413 }));
  const drawn = await open(drawPanel(t, panel, { client: { ...client, files: { ...client.files, upload } } }));
  drawn.press('ctrl-f');
  await drawn.shows('Attach a file');
  type(drawn, 'report.pdf');
  await drawn.shows('To Launch with report.pdf');
  drawn.type('Look');
  drawn.press('enter');
  await drawn.becomes(() => drawn.notices.length > 0, 'refused');
  t.strictSame(drawn.notices, ["! Nothing was sent: 'report.pdf' could not be uploaded. Your quota is full"]);
  await drawn.shows('To Launch with report.pdf');
  await drawn.shows('> Look_');
  t.notMatch(JSON.stringify(calls), 'send');
});

t.test('a file of a thread is shown and sent there', async (t) => {
  const { calls, client } = installation({
    sessions: [room()],
    messages: [message('m1', 'Grace', '', { files: [file('f1', 'plan.docx')] })],
    replies: [message('m2', 'Ben', 'See', { files: [file('f2', 'notes.txt')] })],
  });
  const drawn = await open(drawPanel(t, panel, { client }));
  await drawn.shows('[file plan.docx]');
  drawn.press('ctrl-t');
  await drawn.shows(/> Grace +plan\.docx/);
  drawn.press('enter');
  await drawn.shows("To the thread of 'plan.docx' in Launch");
  await drawn.shows('[file notes.txt]\nSee');
  drawn.press('ctrl-f');
  await drawn.shows('Attach a file');
  type(drawn, 'report.pdf');
  await drawn.shows("To the thread of 'plan.docx' in Launch with report.pdf (3 B)");
  drawn.press('enter');
  await drawn.becomes(() => JSON.stringify(calls).includes('send'), 'sent');
  t.match(calls.at(-1), { send: { thread_id: 'm1', content: '', files: ['id of report.pdf'] } });
});

t.test('ctrl-s lists files and images, and saves one under a new name, never over a file', async (t) => {
  const images = [{ url: `/api/chat/images/${'a'.repeat(64)}`, mime_type: 'image/png' }];
  const { client } = installation({
    sessions: [room()],
    messages: [
      message('m1', 'Grace', 'One', { files: [file('f1', '../.old.txt', 2_048)], images }),
      message('m2', 'Ben', 'Two', { files: [file('f2', 'new\u001B[2J.txt')] }),
    ],
  });
  const drawn = await open(drawPanel(t, panel, { client }));
  await drawn.becomes(() => drawn.offered.includes('ctrl-s save a file'), 'offered');
  drawn.press('ctrl-s');
  await drawn.shows(/> new\.txt +5 B +Ben/);
  await drawn.shows(/old\.txt +2\.0 KiB +Grace/);
  drawn.press('enter');
  await drawn.shows(/> path {2}new\.txt_/);
  type(drawn, 'old.txt');
  await drawn.becomes(() => drawn.notices.at(-1) === "! 'old.txt' exists already; choose another name", 'refused');
  t.equal(readFileSync('old.txt', 'utf8'), 'Old');
  type(drawn, 'docs');
  await drawn.becomes(() => drawn.notices.at(-1) === 'Saved: docs/new.txt (13 B)', 'saved');
  t.equal(readFileSync('docs/new.txt', 'utf8'), 'content of f2');
  await drawn.shows(/> new\.txt/);
  drawn.press('down', 'enter');
  await drawn.shows(/> path {2}old\.txt_/);
  drawn.press('esc');
  await drawn.shows('image.png');
  drawn.press('down', 'down', 'enter');
  await drawn.shows(/> path {2}image\.png_/);
  drawn.press('enter');
  await drawn.becomes(() => existsSync('image.png'), 'saved');
  t.equal(readFileSync('image.png', 'utf8'), `image ${'a'.repeat(64)}`);
  drawn.press('esc');
  await drawn.shows('To Launch');
});

t.test('with --readonly files are saved but none is attached', async (t) => {
  const { client } = installation({ sessions: [room()], messages: [message('m1', 'Grace', 'One', { files: [file('f1', 'a.txt')] })] });
  const drawn = drawPanel(t, panel, { client, readonly: true });
  await drawn.shows('# Launch');
  drawn.press('enter');
  await drawn.becomes(() => drawn.offered.includes('s save a file'), 'offered');
  t.notOk(drawn.offered.some((one) => one.endsWith('attach')));
  drawn.press('f');
  drawn.press('s');
  await drawn.shows(/> a\.txt/);
});
