import { type Ending, extraField, type Part } from '../../kernel/platform/bundles/zip.js';

/** A skill's ZIP as some program makes it. */
export interface ZipCase {
  name: string;
  source: string;
  /** Entries in place of or beside the usual ones, by their names; `undefined` leaves one out. */
  parts?: readonly Part[];
  without?: readonly string[];
  /** A folder around everything. */
  within?: string;
  /** Changes to every entry. */
  every?: Partial<Part>;
  ending?: Ending;
  /** Bytes before the ZIP or in place of it, or the length to which it is cut. */
  before?: string;
  instead?: string;
  /** Default: it is published. */
  refused?: { code: string; says: RegExp };
  /** Its files afterwards. Default: the usual three. */
  files?: readonly string[];
  left_out?: readonly string[];
}

const usual = ['SKILL.md', 'manifest.json', 'scripts/report.py'];
const appnote = 'https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT';
const gitignore = 'https://github.com/github/gitignore/tree/main/Global';
const junk = (path: string): Part => ({ name: path, content: 'x' });
const hint = /platform extension pack <folder>/;

export const zipCases: readonly ZipCase[] = [
  {
    name: 'names with letters and accents apart, as a Mac writes them, are composed',
    source: 'https://unicode.org/reports/tr15/',
    parts: [{ name: 'references/Pru\u0308fung.md', content: 'x' }],
    files: ['SKILL.md', 'manifest.json', 'references/Pr\u00fcfung.md', 'scripts/report.py'],
  },
  {
    name: 'two names that are one when composed collide',
    source: 'https://unicode.org/reports/tr15/',
    parts: [junk('a\u0301.md'), junk('\u00e1.md')],
    refused: { code: 'bundle_name_collision', says: /twice/ },
  },
  {
    name: 'files that macOS adds are excluded: its folder, AppleDouble and Finder files',
    source: `${gitignore}/macOS.gitignore`,
    parts: [
      { name: '__MACOSX/', method: 0 },
      junk('__MACOSX/._SKILL.md'),
      junk('__MACOSX/scripts/._report.py'),
      junk('._manifest.json'),
      junk('.DS_Store'),
      junk('scripts/.DS_Store'),
      junk('Icon\r'),
    ],
    left_out: [
      '__MACOSX/',
      '__MACOSX/._SKILL.md',
      '__MACOSX/scripts/._report.py',
      '._manifest.json',
      '.DS_Store',
      'scripts/.DS_Store',
      'Icon\r',
    ],
  },
  {
    name: 'files that Windows adds are excluded',
    source: `${gitignore}/Windows.gitignore`,
    parts: [junk('Thumbs.db'), junk('assets/desktop.ini'), junk('assets/Desktop.ini~')],
    left_out: ['Thumbs.db', 'assets/desktop.ini', 'assets/Desktop.ini~'],
  },
  {
    name: 'files that Python adds are excluded',
    source: 'https://github.com/github/gitignore/blob/main/Python.gitignore',
    parts: [junk('scripts/__pycache__/report.cpython-312.pyc'), junk('scripts/report.pyo'), junk('.pytest_cache/v/cache')],
    left_out: ['scripts/__pycache__/report.cpython-312.pyc', 'scripts/report.pyo', '.pytest_cache/v/cache'],
  },
  {
    name: 'files that version control and editors add are excluded',
    source: `${gitignore}/Vim.gitignore`,
    parts: [
      junk('.git/HEAD'),
      junk('.svn/entries'),
      junk('.SKILL.md.swp'),
      junk('SKILL.md~'),
      junk('.#SKILL.md'),
      junk('#SKILL.md#'),
      junk('~$a.docx'),
    ],
    left_out: ['.git/HEAD', '.svn/entries', '.SKILL.md.swp', 'SKILL.md~', '.#SKILL.md', '#SKILL.md#', '~$a.docx'],
  },
  {
    name: 'files with similar names stay',
    source: 'the same lists',
    parts: [junk('references/git.md'), junk('references/__pycache__.md'), junk('.env.example'), junk('a~b.md'), junk('~')],
    files: [
      '.env.example',
      'SKILL.md',
      'a~b.md',
      'manifest.json',
      'references/__pycache__.md',
      'references/git.md',
      'scripts/report.py',
      '~',
    ],
  },
  {
    name: 'an archive with backslashes is refused with the program that writes them and a fix',
    source: 'https://learn.microsoft.com/en-us/dotnet/framework/migration-guide/mitigation-ziparchiveentry-fullname-path-separator',
    parts: [junk('scripts\\more.py')],
    refused: { code: 'bundle_path_unsafe', says: /Compress-Archive.*platform extension pack/ },
  },
  {
    name: 'a folder around all files is reported by name',
    source: 'https://docs.github.com/en/repositories/working-with-files/using-files/downloading-source-code-archives',
    within: 'skills-main/',
    refused: { code: 'manifest_missing', says: /pack what is in the folder 'skills-main'/ },
  },
  { name: 'descriptors behind the content are read', source: `${appnote} 4.3.9`, every: { flags: 0x808 } },
  {
    name: 'ZIP64 is refused with a fix',
    source: `${appnote} 4.5.3`,
    every: { extra: extraField(1, Buffer.alloc(16)) },
    refused: { code: 'bundle_unsupported', says: hint },
  },
  {
    name: 'names in an old code page are refused with a fix',
    source: `${appnote} appendix D`,
    parts: [{ name: Buffer.from('Pr\x81fung.md', 'latin1'), content: 'x', flags: 0 }],
    refused: { code: 'bundle_path_unsafe', says: /not UTF-8: 'Pr\?fung\.md'.*platform extension pack/ },
  },
  {
    name: 'names in UTF-8 without the flag for it are read, as macOS writes them',
    source: `${appnote} appendix D`,
    parts: [{ name: 'Prüfung.md', content: 'x', flags: 0 }],
    files: ['Prüfung.md', 'SKILL.md', 'manifest.json', 'scripts/report.py'],
  },
  {
    name: 'a second name in the Unicode extra field is refused with a fix',
    source: `${appnote} 4.6.9`,
    parts: [{ name: 'Pr_fung.md', content: 'x', extra: extraField(0x7075, Buffer.concat([Buffer.alloc(5), Buffer.from('Prüfung.md')])) }],
    refused: { code: 'bundle_path_unsafe', says: /two names.*platform extension pack/ },
  },
  {
    name: 'entries for folders are accepted',
    source: `${appnote} 4.3.8`,
    parts: [
      { name: 'scripts/', method: 0 },
      { name: 'empty/', method: 0 },
    ],
  },
  {
    name: 'empty files are accepted',
    source: `${appnote} 4.3.8`,
    parts: [
      { name: 'empty.txt', content: '' },
      { name: 'stored.txt', content: '', method: 0 },
    ],
    files: ['SKILL.md', 'empty.txt', 'manifest.json', 'scripts/report.py', 'stored.txt'],
  },
  { name: 'entries without attributes are accepted', source: `${appnote} 4.4.15`, every: { mode: 0 } },
  { name: 'an archive comment is skipped', source: `${appnote} 4.4.26`, ending: { comment: Buffer.from('made by hand') } },
  {
    name: 'a self-extracting archive is not a bundle',
    source: `${appnote} 4.1.9`,
    before: 'MZ\u0000\u0000',
    refused: { code: 'bundle_stray_bytes', says: /4 bytes/ },
  },
  {
    name: 'bytes behind the end are refused',
    source: `${appnote} 4.3.16`,
    ending: { behind: Buffer.from('more') },
    refused: { code: 'bundle_stray_bytes', says: /4 bytes/ },
  },
  {
    name: 'an empty archive has no manifest',
    source: `${appnote} 4.3.16`,
    without: usual,
    refused: { code: 'manifest_missing', says: /no manifest\.json/ },
  },
  {
    name: 'a part of a split archive is refused with a fix',
    source: `${appnote} 8.5`,
    ending: { disk: 1 },
    refused: { code: 'bundle_unsupported', says: /several parts.*platform extension pack/ },
  },
  {
    name: 'an encrypted archive is refused with a fix',
    source: `${appnote} 4.4.4`,
    every: { flags: 0x801 },
    refused: { code: 'bundle_encrypted', says: /without a password/ },
  },
  ...(
    [
      [9, 'Deflate64'],
      [12, 'bzip2'],
      [14, 'LZMA'],
      [93, 'Zstandard'],
      [95, 'XZ'],
    ] as const
  ).map(([method, called]) => ({
    name: `${called} is refused by its name`,
    source: `${appnote} 4.4.5`,
    parts: [{ name: 'a.bin', content: 'x', method, data: Buffer.from('x') }],
    refused: { code: 'bundle_unsupported', says: new RegExp(`compressed by ${called}; only deflate.*platform extension pack`) },
  })),
  ...(
    [
      ['\u001f\u008b\u0008', 'a gzip file'],
      ['7z\u00bc\u00af\u0027\u001c', 'a 7-Zip archive'],
      ['Rar!\u001a\u0007', 'a RAR archive'],
    ] as const
  ).map(([instead, kind]) => ({
    name: `${kind} is refused by its name`,
    source: 'https://en.wikipedia.org/wiki/List_of_file_signatures',
    instead: instead.padEnd(64, '\u0000'),
    refused: { code: 'bundle_not_zip', says: new RegExp(`no ZIP but ${kind}`) },
  })),
];
