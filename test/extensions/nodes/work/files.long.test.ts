import t from 'tap';
import { Files, type FileUse } from '../../../../extensions/nodes/work/files/files.js';
import { skipWithout } from '../../../helpers/parts.js';
import { ada, bob, Site } from './site.js';

const skip = skipWithout('docker', 'registry');
const whole = { unit: 'lines', offset: 1, limit: 100_000 } as const;

t.test('files are read, written and listed as the member', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node();
  const files = new Files(site.execs);
  const use: FileUse = { place, nodeUser: ada, signal: new AbortController().signal };
  const text = async (path: string) => (await files.read(use, { ...whole, path })).text;
  const write = (path: string, content: string | Buffer, mode?: string) => files.write(use, { path, content: Buffer.from(content), mode });

  await t.test('written files can be read back', async (t) => {
    await write('a/b/c.txt', 'one\ntwo\nthrée 😀\n');
    t.same(await files.read(use, { ...whole, path: 'a/b/c.txt' }), { text: 'one\ntwo\nthrée 😀\n', size: 20, cut: false });
    t.same(await files.read(use, { ...whole, path: '/workspace/m5/e2/a/b/c.txt', offset: 2, limit: 1 }), {
      text: 'two\n',
      size: 20,
      cut: false,
    });
    t.equal((await files.read(use, { path: 'a/b/c.txt', unit: 'bytes', offset: 5, limit: 3 })).text, 'two');
    t.equal(
      (await files.read(use, { path: 'a/b/c.txt', unit: 'bytes', offset: 9, limit: 4 })).text,
      'thr',
      'a truncated character is omitted',
    );
    t.equal((await files.read(use, { ...whole, path: 'a/b/c.txt', offset: 9 })).text, '');
    await write('a/b/c.txt', '');
    t.equal(await text('a/b/c.txt'), '');
    t.same((await files.list(use, { path: 'a/b', depth: 1 })).entries, [{ path: 'c.txt', type: 'file', size: 0 }], 'no other file is left');
  });

  await t.test('reads of large files are truncated', async (t) => {
    const large = Buffer.alloc(1024 * 1024, 'line of a large file\n');
    await write('large', large);
    const { text: read, size, cut } = await files.read(use, { ...whole, path: 'large' });
    t.equal(size, large.length);
    t.equal(cut, true);
    t.equal(read, large.subarray(0, 256 * 1024).toString());
    const tail = await files.read(use, { path: 'large', unit: 'bytes', offset: large.length - 9, limit: 1_000 });
    t.equal(tail.text, large.subarray(large.length - 10).toString());
  });

  await t.test('binary content is reported', async (t) => {
    await write('binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
    t.same(await files.read(use, { ...whole, path: 'binary' }), { text: undefined, size: 7, cut: false });
    await write('latin', Buffer.from('caf\xe9 au lait', 'latin1'));
    t.equal(await text('latin'), undefined);
  });

  await t.test('the mode of a file is kept, or set as requested', async (t) => {
    const mode = async (path: string) => (await site.run(place, ada, 'stat -c %a "$F"', { env: { F: path } })).stdout.trim();
    await write('script', 'echo 1', '755');
    t.equal(await mode('script'), '755');
    await write('script', 'echo 2');
    t.equal(await mode('script'), '755');
    await write('plain', 'x');
    t.equal(await mode('plain'), '644');
    t.equal((await site.run(place, ada, './script')).stdout, '2\n');
  });

  await t.test('any file name can be written, listed and read', async (t) => {
    const odd = [
      "it's",
      '"quoted"',
      '-rf',
      '--',
      '$(touch pwned)',
      '`touch pwned`',
      'new\nline',
      'tab\there',
      ' space ',
      '*',
      'a;b|c&d',
      '\\n',
      'ünïcödé',
      '%s%d',
      '😀',
    ];
    for (const name of odd) await write(`odd/${name}`, name);
    for (const name of odd) t.equal(await text(`odd/${name}`), name, JSON.stringify(name));
    const { entries, truncated } = await files.list(use, { path: 'odd', depth: 1 });
    t.same(
      entries,
      [...odd].sort().map((path) => ({ path, type: 'file', size: Buffer.byteLength(path) })),
    );
    t.equal(truncated, false);
    t.equal((await site.run(place, ada, 'find / -name pwned 2>/dev/null')).stdout, '');
  });

  await t.test('lists distinguish folders, links and other files', async (t) => {
    await site.run(
      place,
      ada,
      'mkdir -p tree/x/y/z; ln -s /etc/passwd tree/link; mkfifo tree/pipe; echo 12345 > tree/x/y/f; echo 1 > tree/x/y/z/deep',
    );
    const names = async (depth: number) => (await files.list(use, { path: 'tree', depth })).entries;
    t.same(await names(1), [
      { path: 'link', type: 'link', size: 0 },
      { path: 'pipe', type: 'other', size: 0 },
      { path: 'x', type: 'folder', size: 0 },
    ]);
    t.same(
      (await names(3)).map(({ path }) => path),
      ['link', 'pipe', 'x', 'x/y', 'x/y/f', 'x/y/z'],
    );
    const root = (await files.list(use, { path: '/', depth: 1 })).entries;
    t.same(
      root.find(({ path }) => path === 'bin'),
      { path: 'bin', type: 'folder', size: 0 },
    );
    await site.run(place, ada, 'mkdir many; cd many; seq 1 1500 | xargs touch');
    const many = await files.list(use, { path: 'many', depth: 1 });
    t.equal(many.entries.length, 1_000);
    t.equal(many.truncated, true);
  });

  await t.test("a path that can't be used is reported with the reason", async (t) => {
    const missing = { code: 'path_not_found', status: 404 };
    await t.rejects(text('nothing'), { ...missing, message: "'nothing' does not exist" });
    await t.rejects(text('tree'), { ...missing, message: /is a folder/ });
    await t.rejects(text('tree/pipe'), { ...missing, message: /neither/ }, 'reading a pipe does not wait for a writer');
    await t.rejects(text('/dev/zero'), { ...missing, message: /neither/ });
    await t.rejects(text('/proc/1/environ'), { ...missing, message: /is not readable/ });
    await t.rejects(write('tree', 'x'), { ...missing, message: /is a folder/ });
    await t.rejects(write('tree/pipe', 'x'), missing);
    await t.rejects(write('/etc/passwd', 'x'), { code: 'command_failed' });
    await t.rejects(write('large/below', 'x'), { code: 'command_failed' });
    await t.rejects(files.list(use, { path: 'large', depth: 1 }), { ...missing, message: /is a file/ });
    await t.rejects(files.list(use, { path: '/proc/1/fd', depth: 1 }), { ...missing, message: /is not readable/ });
    t.equal((await site.run(place, ada, 'ls -A | grep -c platform')).stdout, '0\n', 'no partial file is left');
  });

  await t.test('a link is replaced rather than followed, and reaches no foreign file', async (t) => {
    await write('target', 'target');
    await site.run(place, ada, 'ln -s target link; ln -s /workspace/m6/e2/theirs theirs; ln -s /workspace/m6 folder');
    await write('link', 'written');
    t.equal(await text('target'), 'target');
    t.equal(await text('link'), 'written');
    const theirs = { place, nodeUser: bob, signal: use.signal };
    await files.write(theirs, { path: 'theirs', content: Buffer.from('bob') });
    await t.rejects(text('theirs'), { code: 'path_not_found' });
    await write('theirs', 'ada');
    await t.rejects(write('folder/e2/theirs', 'ada'), { code: 'command_failed' });
    t.equal((await files.read(theirs, { ...whole, path: 'theirs' })).text, 'bob');
  });
});
