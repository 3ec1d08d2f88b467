import { deflateRawSync } from 'node:zlib';
import { goodPlugin, goodSkill, pluginManifest, skillManifest } from './world.js';
import { extraField, type Part, zipOf } from './zip.js';

/** A good bundle in which the part of that name is changed. */
export const changed = (name: string, change: Partial<Part>): Part[] =>
  goodPlugin().map((part) => (part.name === name ? { ...part, ...change } : part));
/** A good bundle with more in it. */
export const added = (...parts: Part[]): Part[] => [...goodPlugin(), ...parts];
const named = (name: string | Buffer): Part[] => added({ name, content: 'x' });
const without = (name: string, parts = goodPlugin()): Part[] => parts.filter((part) => part.name !== name);
export const text = Buffer.from('hello\n'.repeat(20));
const packed = deflateRawSync(text);
const zeros = Buffer.alloc(3 * 1024 * 1024);

/** Bundles that each differ from a good plugin's in one thing, with the code that each is refused with. */
export const hostile: Readonly<Record<string, readonly [code: string, bytes: () => Buffer]>> = {
  'is empty': ['bundle_not_zip', () => Buffer.alloc(0)],
  'is a text': ['bundle_not_zip', () => Buffer.from('no ZIP at all '.repeat(10))],
  'is a tar.gz': ['bundle_not_zip', () => Buffer.from('1f8b0800000000000003edc1', 'hex')],
  'has 50 MiB and a byte': ['bundle_too_large', () => Buffer.concat([zipOf(goodPlugin()), Buffer.alloc(50 * 1024 * 1024)])],
  'lost its second half': ['bundle_truncated', () => zipOf(goodPlugin()).subarray(0, 500)],
  'lost its last byte': ['bundle_truncated', () => zipOf(goodPlugin()).subarray(0, -1)],
  'lost a part of its comment': ['bundle_truncated', () => zipOf(goodPlugin(), { comment: Buffer.alloc(40, 'c') }).subarray(0, -5)],
  'is followed by a byte': ['bundle_stray_bytes', () => zipOf(goodPlugin(), { behind: Buffer.from('x') })],
  'is followed by a second ZIP': ['bundle_stray_bytes', () => Buffer.concat([zipOf(goodSkill()), zipOf(goodPlugin())])],
  'follows a program': ['bundle_stray_bytes', () => zipOf(changed('manifest.json', { gap: Buffer.from('#!/bin/sh\n') }))],
  'hides bytes between two files': ['bundle_stray_bytes', () => zipOf(changed('README.md', { gap: Buffer.from('hidden') }))],
  'hides bytes before its directory': ['bundle_stray_bytes', () => zipOf(goodPlugin(), { before: Buffer.from('hidden') })],
  'hides bytes behind its directory': ['bundle_stray_bytes', () => zipOf(goodPlugin(), { between: Buffer.from('hidden') })],
  'hides bytes within its directory': [
    'bundle_stray_bytes',
    () => zipOf(goodPlugin(), { between: Buffer.from('hidden'), length: listing() + 6 }),
  ],
  'hides an entry from its directory': ['bundle_stray_bytes', () => zipOf(goodPlugin(), { entries: 4 })],
  'hides a ZIP in its comment': ['bundle_stray_bytes', () => zipOf(goodPlugin(), { comment: zipOf(goodSkill()).subarray(0, 1000) })],
  'has a comment of 2,000 bytes': ['bundle_unsupported', () => zipOf(goodPlugin(), { comment: Buffer.alloc(2000, 'c') })],
  'counts more entries than it has': ['bundle_damaged', () => zipOf(goodPlugin(), { entries: 6 })],
  'is one of several parts': ['bundle_unsupported', () => zipOf(goodPlugin(), { disk: 1 })],
  'has its directory elsewhere': ['bundle_damaged', () => zipOf(goodPlugin(), { start: 0xffff_0000 })],
  'has a directory that is too long': ['bundle_damaged', () => zipOf(goodPlugin(), { length: 100_000 })],
  'is a ZIP64': ['bundle_unsupported', () => zip64()],
  'has an entry of ZIP64': [
    'bundle_unsupported',
    () => zipOf(changed('index.cjs', { extra: extraField(1, Buffer.alloc(16)), unpacked: 0xffff_ffff })),
  ],
  'has a damaged directory': ['bundle_damaged', () => replaced(zipOf(goodPlugin()), 'PK\x01\x02', 'PK\x01\x03')],
  'has a damaged header': ['bundle_damaged', () => replaced(zipOf(goodPlugin()), 'PK\x03\x04', 'PK\x03\x05')],
  'has a damaged extra field': ['bundle_damaged', () => zipOf(changed('index.cjs', { extra: Buffer.from('0900ffff0000', 'hex') }))],
  'has 5 KB beside its content': [
    'bundle_unsupported',
    () => zipOf(changed('index.cjs', { extra: extraField(0x9999, Buffer.alloc(5000)) })),
  ],
  'is encrypted': ['bundle_encrypted', () => zipOf(changed('index.cjs', { flags: 0x801 }))],
  'is encrypted strongly': ['bundle_encrypted', () => zipOf(changed('index.cjs', { flags: 0x841 }))],
  'is encrypted before the content only': ['bundle_encrypted', () => zipOf(changed('index.cjs', { local: { flags: 0x801 } }))],
  'is encrypted in its directory only': ['bundle_encrypted', () => zipOf(changed('index.cjs', { flags: 0x801, local: { flags: 0x800 } }))],
  'hides its directory': ['bundle_encrypted', () => zipOf(changed('index.cjs', { flags: 0x2800 }))],
  'is compressed by bzip2': ['bundle_unsupported', () => zipOf(changed('index.cjs', { method: 12 }))],
  'is a patch': ['bundle_unsupported', () => zipOf(changed('index.cjs', { flags: 0x820 }))],
  'lists a file within the content of another': ['bundle_overlapping', () => overlapping()],
  'lists a file that goes on into the next': ['bundle_overlapping', () => zipOf(changed('README.md', { packed: 200, unpacked: 200 }))],
  'lists a file within its directory': [
    'bundle_overlapping',
    () => zipOf([{ name: 'big', content: 'x', method: 0, packed: 60, unpacked: 60 }]),
  ],
  'has a file beyond its end': ['bundle_damaged', () => zipOf(changed('index.cjs', { offset: 0x7fff_ffff }))],
  'has another checksum': ['bundle_crc_mismatch', () => zipOf(changed('index.cjs', { crc: 1 }))],
  'has a false checksum of what is stored': ['bundle_crc_mismatch', () => zipOf(changed('README.md', { crc: 1 }))],
  'names a size that is too small': ['bundle_size_mismatch', () => zipOf(changed('index.cjs', { unpacked: 5 }))],
  'names a size that is too large': ['bundle_size_mismatch', () => zipOf(changed('index.cjs', { unpacked: 500 }))],
  'stores other sizes': ['bundle_size_mismatch', () => zipOf(changed('README.md', { unpacked: 500 }))],
  'has a folder with content': ['bundle_size_mismatch', () => zipOf(added({ name: 'docs/', content: 'x', method: 0 }))],
  'hides bytes behind compressed content': [
    'bundle_size_mismatch',
    () => zipOf(added({ name: 'a', content: text, data: Buffer.concat([packed, Buffer.from('hidden')]) })),
  ],
  'has broken compressed content': ['bundle_damaged', () => zipOf(added({ name: 'a', content: text, data: Buffer.alloc(30, 0xff) }))],
  'has half of the compressed content': ['bundle_damaged', () => zipOf(added({ name: 'a', content: text, data: packed.subarray(0, 6) }))],
  'names another name before the content': [
    'bundle_header_mismatch',
    () => zipOf(changed('index.cjs', { local: { name: Buffer.from('index.cjz') } })),
  ],
  'names another size before the content': ['bundle_header_mismatch', () => zipOf(changed('index.cjs', { local: { unpacked: 1 } }))],
  'names another method before the content': ['bundle_header_mismatch', () => zipOf(changed('index.cjs', { local: { method: 0 } }))],
  'names another checksum behind the content': [
    'bundle_header_mismatch',
    () => zipOf(changed('assets/greetings.txt', { descriptor: Buffer.alloc(16) })),
  ],
  'has 2,001 entries': [
    'bundle_too_many_entries',
    () => zipOf(added(...Array.from({ length: 1996 }, (_, n) => ({ name: `f${n}`, method: 0 })))),
  ],
  'has 1,999 entries in more folders': [
    'bundle_too_many_entries',
    () => zipOf(added(...Array.from({ length: 1500 }, (_, n) => ({ name: `d${n}/f`, method: 0 })))),
  ],
  'says that it unpacks to 201 MiB': [
    'bundle_unpacked_too_large',
    () => zipOf(added({ name: 'a', method: 0, content: Buffer.alloc(3e6, 'x') }, { name: 'b', content: 'x', unpacked: 201 * 1024 * 1024 })),
  ],
  'is a bomb': ['bundle_ratio_too_high', () => zipOf(added({ name: 'zeros', content: zeros }))],
  'is a bomb that says it is small': ['bundle_size_mismatch', () => zipOf(added({ name: 'zeros', content: zeros, unpacked: 10 }))],
  'leaves its folder': ['bundle_path_unsafe', () => zipOf(named('../up.txt'))],
  'leaves its folder further in': ['bundle_path_unsafe', () => zipOf(named('a/b/../../../up.txt'))],
  'has a path from the root': ['bundle_path_unsafe', () => zipOf(named('/etc/passwd'))],
  'has a path with backslashes': ['bundle_path_unsafe', () => zipOf(named('..\\up.txt'))],
  'has a path with a drive': ['bundle_path_unsafe', () => zipOf(named('C:/up.txt'))],
  'has a second stream of a file': ['bundle_path_unsafe', () => zipOf(named('a.txt:hidden'))],
  'has a path with NUL': ['bundle_path_unsafe', () => zipOf(named('a.txt\0.png'))],
  'has a path with an escape': ['bundle_path_unsafe', () => zipOf(named('a\u001B[2J.txt'))],
  'has a path that turns the writing direction': ['bundle_path_unsafe', () => zipOf(named('a\u202Etxt.exe'))],
  'has a path with letters that nobody sees': ['bundle_path_unsafe', () => zipOf(named('a\u{E0041}.txt'))],
  'has an empty path': ['bundle_path_unsafe', () => zipOf(named(''))],
  'has an empty name': ['bundle_path_unsafe', () => zipOf(named('a//b'))],
  'has a name of one dot': ['bundle_path_unsafe', () => zipOf(named('a/./b'))],
  'has a name with a dot at its end': ['bundle_path_unsafe', () => zipOf(named('a./b'))],
  'has a name with a space at its end': ['bundle_path_unsafe', () => zipOf(named('a '))],
  'has the name of a device': ['bundle_path_unsafe', () => zipOf(named('docs/aux.txt'))],
  'has a name of 201 bytes': ['bundle_path_unsafe', () => zipOf(named('é'.repeat(101)))],
  'has a path of 401 bytes': ['bundle_path_unsafe', () => zipOf(named(`${'a/'.repeat(10)}${'b'.repeat(190)}/${'c'.repeat(191)}`))],
  'has 21 folders within each other': ['bundle_path_unsafe', () => zipOf(named(`${'a/'.repeat(20)}b`))],
  'has a name that is not UTF-8': ['bundle_path_unsafe', () => zipOf(named(Buffer.from([0x61, 0xe9, 0x62])))],
  'has a file with two names': [
    'bundle_path_unsafe',
    () => zipOf(added({ name: 'a', content: 'x', extra: extraField(0x7075, Buffer.from('\x01\0\0\0\0../b', 'latin1')) })),
  ],
  'has two files of one name': ['bundle_name_collision', () => zipOf(added({ name: 'index.cjs', content: 'evil()' }))],
  'has names that differ in case': ['bundle_name_collision', () => zipOf(named('INDEX.CJS'))],
  'has folders that differ in case': ['bundle_name_collision', () => zipOf(named('Assets/b.txt'))],
  'has names that differ in composition': [
    'bundle_name_collision',
    () => zipOf(added({ name: 'caf\u00E9', content: 'x' }, { name: 'cafe\u0301', content: 'y' })),
  ],
  'has names that only folding makes equal': [
    'bundle_name_collision',
    () => zipOf(added({ name: 'stra\u00DFe', content: 'x' }, { name: 'strasse', content: 'y' })),
  ],
  'has names that are equal when they are taken apart': [
    'bundle_name_collision',
    () => zipOf(added({ name: '\u3392', content: 'x' }, { name: 'mhz', content: 'y' })),
  ],
  'has a file where a folder is': ['bundle_name_collision', () => zipOf(added({ name: 'assets', content: 'x' }))],
  'has a folder where a file is': ['bundle_name_collision', () => zipOf(named('index.cjs/a'))],
  'has a folder twice': ['bundle_name_collision', () => zipOf(added({ name: 'assets/', method: 0 }))],
  'has a symbolic link': ['bundle_special_entry', () => zipOf(added({ name: 'link', content: '/etc/passwd', mode: 0o120777 }))],
  'has a symbolic link as folder': ['bundle_special_entry', () => zipOf(added({ name: 'link/', method: 0, mode: 0o120777 }))],
  'has a device': ['bundle_special_entry', () => zipOf(added({ name: 'null', mode: 0o020666, method: 0 }))],
  'has a pipe': ['bundle_special_entry', () => zipOf(added({ name: 'pipe', mode: 0o010666, method: 0 }))],
  'has a folder that is named as a file': ['bundle_special_entry', () => zipOf(added({ name: 'folder', mode: 0, dos: 0x10, method: 0 }))],
  'has native code': ['bundle_native_code', () => zipOf(named('build/addon.NODE'))],
  'has no manifest': ['manifest_missing', () => zipOf(without('manifest.json'))],
  'has its manifest in a folder': [
    'manifest_missing',
    () => zipOf(goodSkill().map((part) => ({ ...part, name: `skill/${String(part.name)}` }))),
  ],
  'has a manifest that is no JSON': ['manifest_invalid', () => zipOf(changed('manifest.json', { content: '{' }))],
  'has a manifest that is not UTF-8': [
    'manifest_invalid',
    () => zipOf(changed('manifest.json', { content: Buffer.from([0x22, 0xff, 0x22]) })),
  ],
  'has a manifest of more than 1 MiB': [
    'manifest_invalid',
    () =>
      zipOf(
        added({ name: 'noise', method: 0, content: Buffer.alloc(100_000) }).map((part) =>
          part.name === 'manifest.json' ? { ...part, content: JSON.stringify({ ...pluginManifest, x: 'x'.repeat(1024 * 1024) }) } : part,
        ),
      ),
  ],
  'has a reserved id': ['id_reserved', () => zipOf(goodPlugin({ ...pluginManifest, id: 'installed' }))],
  "has the platform's name": ['id_reserved', () => zipOf(goodPlugin({ ...pluginManifest, id: 'platform-tools' }))],
  'has the id of a built-in extension': ['id_reserved', () => zipOf(goodPlugin({ ...pluginManifest, id: 'members' }))],
  'is a skill': ['bundle_type_mismatch', () => zipOf(goodSkill())],
  'has no main': ['main_missing', () => zipOf(without('index.cjs'))],
  'has its main outside': ['bundle_path_unsafe', () => zipOf(goodPlugin({ ...pluginManifest, main: '../../server.js' }))],
  'has a main of 17 MiB': [
    'main_too_large',
    () => zipOf(changed('index.cjs', { method: 0, content: Buffer.alloc(17 * 1024 * 1024, ' ') })),
  ],
  'has no readme where it names one': ['readme_invalid', () => zipOf(goodPlugin({ ...pluginManifest, readme: 'docs/README.md' }))],
  'has a readme that is not UTF-8': ['readme_invalid', () => zipOf(changed('README.md', { content: Buffer.from([0xff]) }))],
};

/** The same, of skills. */
export const hostileSkills: Readonly<Record<string, readonly [code: string, parts: () => Part[]]>> = {
  'has no SKILL.md': ['skill_missing', () => without('SKILL.md', goodSkill())],
  'has it in a folder': [
    'skill_missing',
    () => goodSkill().map((part) => (part.name === 'SKILL.md' ? { ...part, name: 'reports/SKILL.md' } : part)),
  ],
  'has no front matter': [
    'skill_invalid',
    () => goodSkill().map((part) => (part.name === 'SKILL.md' ? { ...part, content: '# Reports' } : part)),
  ],
  'contributes operations': ['manifest_invalid', () => goodSkill({ ...skillManifest, contributes: { commands: [] } })],
};

function replaced(bytes: Buffer, what: string, by: string): Buffer {
  bytes.write(by, bytes.indexOf(what, 0, 'latin1'), 'latin1');
  return bytes;
}

/** The bytes of a good bundle's directory. */
function listing(): number {
  const bytes = zipOf(goodPlugin());
  return bytes.length - 22 - bytes.indexOf('PK\x01\x02', 0, 'latin1');
}

function zip64(): Buffer {
  return zipOf(goodPlugin(), { between: Buffer.from(`PK\x06\x07${'\0'.repeat(16)}`, 'latin1') });
}

/** A file whose content is a second entry, which is listed as well: so are the bombs that unpack to petabytes. */
function overlapping(): Buffer {
  const inner: Part = { name: 'inner', content: 'x' };
  const alone = zipOf([inner]);
  const content = alone.subarray(0, alone.indexOf('PK\x01\x02', 0, 'latin1'));
  const before = zipOf(goodPlugin());
  const start = before.indexOf('PK\x01\x02', 0, 'latin1');
  return zipOf(added({ name: 'outer', content, method: 0 }, { ...inner, offset: start + 30 + 'outer'.length }));
}
