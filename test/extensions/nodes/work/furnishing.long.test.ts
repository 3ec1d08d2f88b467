import t from 'tap';
import type { FurnishedFile, Furnishing } from '../../../../extensions/nodes/contract.js';
import type { CommandRunner } from '../../../../extensions/nodes/work/command-runner.js';
import { FileCopier } from '../../../../extensions/nodes/work/furnishing/file-copier.js';
import { skipWithout } from '../../../helpers/parts.js';
import { deep, filesOf } from './furnished.js';
import { ada, bob, Site } from './site.js';

const skip = skipWithout('docker', 'registry');
const { signal } = new AbortController();
const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
const home = '/workspace/m5/e2/.skills/acme.reports';

const wish = (node_id: number, files: readonly FurnishedFile[], change: Partial<Furnishing> = {}): Furnishing => ({
  node_id,
  ...ada,
  folder: '.skills/acme.reports',
  content_hash: hash('a'),
  files,
  ...change,
});

t.test('files are copied to a node as the member, once for each version', { skip }, async (t) => {
  const site = await Site.start(t);
  const place = await site.node();
  const { id } = place.node;
  const parts = { execs: site.execs, places: { open: async () => place }, nodes: { find: async () => place.node } };
  const copier = new FileCopier(parts);
  const sh = async (command: string, nodeUser = ada) => (await site.run(place, nodeUser, command)).stdout.trim();
  const files = await filesOf(t, {
    'SKILL.md': '# Hi\n',
    'scripts/hello.sh': 'echo "hello $1"\n',
    'tools/says': '#!/bin/sh\necho said\n',
    'assets/räksmörgås 😀.txt': 'smörgås',
    'assets/-rf': '',
    'assets/$(touch pwned) `id` ; "\'.txt': 'strange',
    [deep]: 'deep',
  });

  await t.test('files are provided unchanged, with the rights of the member', async (t) => {
    const { folder } = await copier.furnish(wish(id, files), signal);
    t.equal(folder, `${home}/${'a'.repeat(16)}`);
    t.equal(await sh(`${folder}/scripts/hello.sh world; ${folder}/tools/says`), 'hello world\nsaid');
    const listed = await sh(`cd ${folder} && find . -type f -exec stat -c '%a %u %s %n' {} + | sort -k4`);
    t.same(listed.split('\n').sort(), [
      '644 100005 0 ./assets/-rf',
      `644 100005 4 ./${deep}`,
      '644 100005 5 ./SKILL.md',
      '644 100005 7 ./assets/$(touch pwned) `id` ; "\'.txt',
      '644 100005 71 ./.platform-complete',
      '644 100005 9 ./assets/räksmörgås 😀.txt',
      '755 100005 16 ./scripts/hello.sh',
      '755 100005 20 ./tools/says',
    ]);
    t.match(await sh(`cat ${folder}/SKILL.md; ls ${home}/../..`, bob), '', 'other members cannot read the files');
    t.equal(await sh(`ls -A ${home}`), 'a'.repeat(16), 'no other file is left');
  });

  await t.test('complete files are kept, and partial or changed ones are repaired', async (t) => {
    const folder = `${home}/${'a'.repeat(16)}`;
    await sh(`echo own >${folder}/SKILL.md; echo more >${folder}/made.txt`);
    await copier.furnish(wish(id, files), signal);
    t.equal(await sh(`cat ${folder}/SKILL.md ${folder}/made.txt`), 'own\nmore', 'a complete copy is not changed');
    await sh(`printf other >${folder}/.platform-complete`);
    await copier.furnish(wish(id, files), signal);
    t.equal(await sh(`cat ${folder}/SKILL.md`), '# Hi', 'the marker belongs to another version');
    await sh(`echo half >${folder}/SKILL.md; echo more >${folder}/made.txt`);
    await sh(`rm ${folder}/.platform-complete`);
    await copier.furnish(wish(id, files), signal);
    t.equal(await sh(`cat ${folder}/SKILL.md; ls ${folder}/made.txt 2>/dev/null`), '# Hi');
    await sh(`rm -rf ${folder}; ln -s /etc ${folder}`);
    await copier.furnish(wish(id, files), signal);
    t.equal(await sh(`[ -L ${folder} ] || cat ${folder}/SKILL.md`), '# Hi', 'a link is replaced, not followed');
  });

  await t.test('several versions are provided concurrently, and old ones are removed', async (t) => {
    const versions = ['b', 'b', 'b', 'c'].map((digit) => copier.furnish(wish(id, files, { content_hash: hash(digit) }), signal));
    const folders = (await Promise.all(versions)).map(({ folder }) => folder.slice(-1));
    t.same(folders, ['b', 'b', 'b', 'c']);
    await sh(`mkdir -p ${home}/../gone/old && touch -d '2000-01-01 00:00' ${home}/../gone/old ${home}/${'a'.repeat(16)}`);
    const halves = `cd ${home} && mkdir .left .fresh && touch .left.tar .fresh.tar`;
    await sh(`${halves} && touch -d "@$(($(date +%s) - 2 * 86400))" .left .left.tar ${'b'.repeat(16)}`);
    await copier.furnish(wish(id, files, { content_hash: hash('d') }), signal);
    const hidden = await sh(`cd ${home} && ls -d .[!.]* && rm -r .fresh .fresh.tar`);
    t.equal(hidden, '.fresh\n.fresh.tar', 'a copy left incomplete a day ago is removed, a running one is not');
    t.same(
      (await sh(`ls -A ${home} ${home}/../gone`)).split('\n').filter((line) => /^.{16}$|old|tar/.test(line)),
      ['b', 'c', 'd'].map((digit) => digit.repeat(16)),
    );
    const other = await copier.furnish(wish(id, files, bob), signal);
    t.equal(await sh(`cat ${other.folder}/SKILL.md`, bob), '# Hi');
    t.match(other.folder, /^\/workspace\/m6\/e2\//);
  });

  await t.test('large files are copied in pieces unchanged', async (t) => {
    const large = Buffer.alloc(9 * 1024 * 1024 + 17, 'a line of a large file\n');
    const many = Object.fromEntries(Array.from({ length: 1_990 }, (_, n) => [`many/${n}.txt`, `${n}`]));
    const { folder } = await copier.furnish(wish(id, await filesOf(t, { ...many, large }), { content_hash: hash('e') }), signal);
    t.equal(await sh(`ls ${folder}/many | wc -l; cat ${folder}/many/1989.txt`), '1990\n1989');
    t.equal(await sh(`wc -c <${folder}/large; tail -c 17 ${folder}/large`), `${large.length}\n${large.subarray(-17).toString()}`.trim());
  });

  await t.test('a failed copy leaves nothing and is retried', async (t) => {
    const rest = () => sh(`ls -A ${home} | grep -v '^.\\{16\\}$'`);
    const [first, ...others] = await filesOf(t, { one: 'one', two: Buffer.alloc(6 * 1024 * 1024) });
    const shorter = others.map((file) => ({ ...file, bytes: file.bytes + 1 }));
    await t.rejects(copier.furnish(wish(id, [first as FurnishedFile, ...shorter], { content_hash: hash('f') }), signal), {
      code: 'internal_error',
    });
    t.equal(await rest(), '');
    const aborting = new AbortController();
    let written = 0;
    const runFor: CommandRunner['runFor'] = async (nodeUser, at, what) => {
      const ended = await site.execs.runFor(nodeUser, at, what);
      if (what.command.stdin && written++ === 0) aborting.abort(new Error('enough'));
      return ended;
    };
    const interrupted = new FileCopier({ ...parts, execs: { runFor } });
    const whole = wish(id, [first as FurnishedFile, ...others], { content_hash: hash('f') });
    await t.rejects(interrupted.furnish(whole, aborting.signal), { message: 'enough' });
    t.equal(written, 1, 'the copy was interrupted after its first piece');
    t.equal(await rest(), '');
    await sh(`rm -rf ${home}/../blocked; touch ${home}/../blocked`);
    await t.rejects(copier.furnish(wish(id, files, { folder: '.skills/blocked' }), signal), {
      code: 'command_failed',
      message: /Could not copy files to the node 'node 1': .*blocked/,
    });
    for (const path of ['../x', '/etc/x', 'a/../../x', 'a\nb', 'a//b', '']) {
      await t.rejects(copier.furnish(wish(id, [{ ...(first as FurnishedFile), path }]), signal), /can't be put on a node/, path);
    }
    const huge = { ...(first as FurnishedFile), bytes: 201 * 1024 * 1024 };
    await t.rejects(copier.furnish(wish(id, [huge]), signal), /are too many for a node/);
  });
});
