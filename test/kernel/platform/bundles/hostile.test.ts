import t from 'tap';
import { check, unpack } from '../../../../kernel/platform/bundles/reader.js';
import { added, changed, hostile, hostileSkills, text } from './hostile.js';
import { codeOf, goodPlugin, goodSkill, place } from './world.js';
import { type Ending, extraField, type Part, zipOf } from './zip.js';

for (const [what, [code, bytes]] of Object.entries(hostile)) {
  t.test(`a bundle that ${what} is rejected with ${code} and leaves nothing`, async (t) => {
    const { put, folder, others } = await place(t);
    const file = await put(bytes());
    const options = { type: 'plugin', builtin: ['members'] } as const;
    t.equal(await codeOf(check(file, options)), code);
    t.equal(await codeOf(unpack(file, `${folder}/unpacked`, options)), code);
    t.strictSame(await others(), []);
  });
}

for (const [what, [code, parts]] of Object.entries(hostileSkills)) {
  t.test(`a skill that ${what} is rejected with ${code}`, async (t) => {
    const { put } = await place(t);
    t.equal(await codeOf(check(await put(zipOf(parts())))), code);
  });
}

t.test('conflicting names in a bundle are reported', async (t) => {
  const { put } = await place(t);
  const told = {
    "'index.cjs' is in the bundle twice": { name: 'index.cjs', content: 'evil()' },
    "'assets' is both a file and a folder in the bundle": { name: 'assets', content: 'x' },
    "'INDEX.CJS' and 'index.cjs' in the bundle would be one file on some systems": { name: 'INDEX.CJS', content: 'x' },
  };
  for (const [message, part] of Object.entries(told)) await t.rejects(check(await put(zipOf(added(part)))), { message });
});

const fine: Readonly<Record<string, readonly [parts: Part[], ending?: Ending]>> = {
  'a plugin': [goodPlugin()],
  'a skill': [goodSkill()],
  'with a comment, as git archive writes one': [goodPlugin(), { comment: Buffer.alloc(40, 'c') }],
  'with descriptors that have no signature': [changed('assets/greetings.txt', { descriptor: descriptorOf(text) })],
  'with names beyond ASCII that are not marked': [added({ name: 'docs/übersicht.md', content: 'x', flags: 0 })],
  'with the name of a file that is given twice alike': [
    added({ name: 'ü', content: 'x', extra: extraField(0x7075, Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from('ü')])) }),
  ],
  'with empty files': [added({ name: 'empty', content: '' }, { name: 'empty2', method: 0 })],
};

function descriptorOf(content: Buffer): Buffer {
  const [whole] = [zipOf([{ name: 'a', content, flags: 0x808 }])];
  const at = whole.indexOf('PK\x07\x08', 0, 'latin1');
  return whole.subarray(at + 4, at + 16);
}

for (const [what, [parts, ending]] of Object.entries(fine)) {
  t.test(`a valid bundle ${what} is accepted`, async (t) => {
    const { put } = await place(t);
    const { files } = await check(await put(zipOf(parts, ending)));
    t.strictSame(
      files.map(({ name }) => name),
      parts
        .map(({ name }) => String(name))
        .filter((name) => !name.endsWith('/'))
        .sort(),
    );
  });
}
