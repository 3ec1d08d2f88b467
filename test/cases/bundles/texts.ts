/** A front matter, and what is said of it; lines count from 1 at the first `---`. */
export interface FrontMatterCase {
  name: string;
  source: string;
  front: string;
  /** Why it is refused. */
  refused?: RegExp;
  /** Its warnings. Default: none. */
  warnings?: readonly RegExp[];
  description?: string;
}

const yaml = 'https://yaml.org/spec/1.2.2/';
const kinds = 'https://yaml.org/type/';
const named = 'name: reports\n';

export const frontMatterCases: readonly FrontMatterCase[] = [
  {
    name: 'a colon in a value',
    source: `${yaml}#733-plain-style`,
    front: `${named}description: Use when: asked\n`,
    refused: /line 3, column \d+: .*put the value of description in quotes/,
  },
  {
    name: 'a tab that indents',
    source: `${yaml}#61-indentation-spaces`,
    front: `${named}description: x\nmetadata:\n\tteam: a\n`,
    refused: /line 5, column \d+: .*spaces, not with tabs/,
  },
  {
    name: 'a value that begins with @',
    source: `${yaml}#732-plain-style`,
    front: `${named}description: @ada writes\n`,
    refused: /line 3, .*in quotes/,
  },
  {
    name: 'a value that begins with a backtick',
    source: `${yaml}#732-plain-style`,
    front: `${named}description: \`run\` it\n`,
    refused: /line 3, .*in quotes/,
  },
  {
    name: 'a value that begins with %',
    source: `${yaml}#732-plain-style`,
    front: `${named}description: %d files\n`,
    refused: /line 3, .*in quotes/,
  },
  {
    name: 'a value that begins with *',
    source: `${yaml}#71-alias-nodes`,
    front: `${named}description: *important\n`,
    refused: /alias|in quotes/,
  },
  {
    name: 'a value that begins with a dash',
    source: `${yaml}#821-block-sequences`,
    front: `${named}description: - writes\n`,
    refused: /line 3, .*in quotes/,
  },
  {
    name: 'a bracket that is not closed',
    source: `${yaml}#741-flow-sequences`,
    front: `${named}description: [draft\n`,
    refused: /line \d, .*in quotes/,
  },
  {
    name: 'a quote that is not closed',
    source: `${yaml}#731-double-quoted-style`,
    front: `${named}description: "x\n`,
    refused: /line \d, column \d+: Missing closing "quote/,
  },
  {
    name: 'a duplicate key',
    source: `${yaml}#3213-node-comparison`,
    front: `${named}description: a\ndescription: b\n`,
    refused: /line 4, column 1: .*unique/,
  },
  {
    name: 'a list in place of keys',
    source: 'https://agentskills.io/specification',
    front: '- name: reports\n',
    refused: /keys with values/,
  },
  {
    name: 'a comment within a value',
    source: `${yaml}#66-comments`,
    front: `${named}description: Fix issue #12\n`,
    warnings: [/line 3: .*'#12' is left out.*description in quotes/],
    description: 'Fix issue',
  },
  {
    name: 'a # within quotes is not a comment',
    source: `${yaml}#66-comments`,
    front: `${named}description: "Fix issue #12"\n`,
    description: 'Fix issue #12',
  },
  {
    name: 'a # without a space before it is not a comment',
    source: `${yaml}#66-comments`,
    front: `${named}description: Fix issue#12\n`,
    description: 'Fix issue#12',
  },
  {
    name: 'a comment on a line of its own',
    source: `${yaml}#66-comments`,
    front: `# of ours\n${named}description: Fix\n`,
    description: 'Fix',
  },
  {
    name: 'a word that others read as true or false',
    source: `${kinds}bool.html`,
    front: `${named}description: x\nlicense: no\n`,
    warnings: [/line 4: other programs read no as true or false.*license/],
  },
  {
    name: 'a version that others read as a number',
    source: `${kinds}float.html`,
    front: `${named}description: x\nmetadata:\n  version: 1.10\n`,
    warnings: [/line 5: other programs read 1\.10 as a number.*version/],
  },
  {
    name: 'a number that others read as octal',
    source: `${kinds}int.html`,
    front: `${named}description: x\nmetadata:\n  mode: 0755\n`,
    warnings: [/0755 as a number/],
  },
  {
    name: 'a time that others read as seconds',
    source: `${kinds}int.html`,
    front: `${named}description: x\nmetadata:\n  at: 12:30\n`,
    warnings: [/12:30 as a number/],
  },
  {
    name: 'a day that others read as a date',
    source: `${kinds}timestamp.html`,
    front: `${named}description: x\nmetadata:\n  made: 2026-01-31\n`,
    warnings: [/2026-01-31 as a date/],
  },
  {
    name: 'a tilde that others read as nothing',
    source: `${kinds}null.html`,
    front: `${named}description: x\nlicense: ~\n`,
    warnings: [/~ as nothing/],
  },
  {
    name: 'an ampersand that names the value',
    source: `${yaml}#692-node-anchors`,
    front: `${named}description: &co writes\n`,
    warnings: [/'&co' names the value/],
    description: 'writes',
  },
  {
    name: 'an exclamation mark that is a tag',
    source: `${yaml}#691-node-tags`,
    front: `${named}description: !important writes\n`,
    warnings: [/line 3: '!important' is a tag/],
    description: 'writes',
  },
  {
    name: 'quoted words and numbers stay text',
    source: `${kinds}bool.html`,
    front: `${named}description: x\nlicense: "no"\nmetadata:\n  version: '1.10'\n`,
  },
  {
    name: 'Windows line endings',
    source: `${yaml}#54-line-break-characters`,
    front: `name: reports\r\ndescription: Fix issue #12\r\n`,
    warnings: [/line 3: .*'#12'/],
  },
];

/** A `manifest.json`, and what is said of it. */
export interface ManifestCase {
  name: string;
  source: string;
  text: string;
  refused?: RegExp;
}

const rfc = 'RFC 8259';
const rest = '"id": "acme.reports", "name": "Reports", "type": "skill", "version": "1.0.0", "description": "x", "author": "Acme"';

export const manifestCases: readonly ManifestCase[] = [
  { name: 'a byte order mark is skipped', source: `${rfc}, 8.1`, text: `\uFEFF{${rest}}` },
  {
    name: 'a comma before the end',
    source: `${rfc}, 4`,
    text: `{${rest},\n}`,
    refused: /line 1, column \d+: no comma may stand before '}'/,
  },
  {
    name: 'a comma that is missing',
    source: `${rfc}, 4`,
    text: `{\n  "a": 1\n  "b": 2\n}`,
    refused: /line 3, column 3: a comma or '}' must stand here, but '"' does/,
  },
  {
    name: 'a comment',
    source: `${rfc}, 2`,
    text: `{\n  // ours\n  ${rest}\n}`,
    refused: /line 2, column 3: .*a comment, which JSON does not have/,
  },
  {
    name: 'single quotes',
    source: `${rfc}, 7`,
    text: `{'id': 'x'}`,
    refused: /line 1, column 2: .*single quote \(JSON has double quotes alone\)/,
  },
  { name: 'curly quotes', source: `${rfc}, 7`, text: `{\u201Cid\u201D: 1}`, refused: /line 1, column 2: .*curly quote/ },
  {
    name: 'a key without quotes',
    source: `${rfc}, 4`,
    text: `{id: 1}`,
    refused: /line 1, column 2: a key must be in double quotes, but 'id'/,
  },
  {
    name: 'a duplicate key',
    source: `${rfc}, 4`,
    text: `{${rest},\n "id": "acme.other"}`,
    refused: /line 2, column 2: the key "id" is there twice/,
  },
  {
    name: 'an end that is missing',
    source: `${rfc}, 4`,
    text: `{\n  ${rest}`,
    refused: /line 2, column \d+: it ends before the '{' of line 1 is closed/,
  },
  {
    name: 'a line feed in a text',
    source: `${rfc}, 7`,
    text: `{"id": "a\nb"}`,
    refused: /line 1, column 8: this text has no closing double quote/,
  },
  { name: 'a tab in a text', source: `${rfc}, 7`, text: `{"id": "a\tb"}`, refused: /line 1, column 10: .*control character/ },
  { name: 'a backslash of Windows', source: `${rfc}, 7`, text: `{"main": "C:\\Users"}`, refused: /line 1, column 13: this backslash/ },
  {
    name: 'a word of Python',
    source: `${rfc}, 3`,
    text: `{"storage": True}`,
    refused: /line 1, column 13: a value must stand here, but 'True' does/,
  },
  { name: 'two values', source: `${rfc}, 2`, text: `{${rest}}\n{}`, refused: /line 2, column 1: nothing may follow/ },
  { name: 'an empty file', source: `${rfc}, 2`, text: '', refused: /line 1, column 1: .*the end of the file/ },
];
