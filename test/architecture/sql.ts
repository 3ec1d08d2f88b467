import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourcesBelow } from './sources.js';

interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  /** Where it is looked for, and the files in which it may stand. */
  readonly inside: RegExp;
  readonly allowed: readonly RegExp[];
}

const migrations = /\/migrations(?:\/|\.ts$)/;
const named = /-sql\.ts$/;

/** A command that a person is told to type begins with `psql`. */
const statement =
  /(?<!psql[^\n]*)\b(?:SELECT\s+\S|INSERT\s+INTO\s|UPDATE\s+["a-z$][^\n]*\n?[^\n]*\bSET\b|DELETE\s+FROM\s|TRUNCATE\s+\S|(?:CREATE|ALTER|DROP)\s+(?:UNIQUE\s+|VIRTUAL\s+)?(?:TABLE|INDEX|SEQUENCE|TRIGGER|VIEW|FUNCTION|SCHEMA)\b|PRAGMA\s+\w)/;

const rules: readonly Rule[] = [
  {
    name: 'statements',
    pattern: statement,
    inside: /^/,
    // The data layer itself, and the contract's helpers that hide the dialect.
    allowed: [named, migrations, /^kernel\/platform\/data\/(?:sqlite|postgres)\//, /^kernel\/contract\/(?:sql|term-index)\.ts$/],
  },
  {
    name: 'conditions',
    // Parts of claims, whose alias for a job is `j`, and of leases.
    pattern: /['"`][^'"`\n]*\b(?:j\.\w+|status|owner|lease_until)\s+(?:=|<>|<=?|IN|IS)\s+(?:['($]|NULL\b|NOT\b)/,
    inside: /^extensions\//,
    allowed: [named, migrations],
  },
  {
    name: 'dialects',
    pattern: /\bdialect\s*[!=]==|[!=]==\s*[\w.#]*\bdialect\b|\bswitch\s*\([\w.#]*\bdialect\b/,
    inside: /^extensions\//,
    allowed: [named, migrations, /\/models\.ts$/],
  },
];

/** The names of all rules, for the test that proves each. */
export const ruleNames: readonly string[] = rules.map(({ name }) => name);

/** Finds statements of SQL, and branches on the dialect, in files that are not meant for them. */
export function checkSql(root: string): string[] {
  return sourcesBelow(root).flatMap((file) => {
    const text = withoutComments(readFileSync(join(root, file), 'utf8'));
    const broken = rules.filter(
      ({ inside, allowed, pattern }) => inside.test(file) && !allowed.some((path) => path.test(file)) && pattern.test(text),
    );
    return broken.map(({ name }) => `${name}: ${file}`);
  });
}

/** Strings are read as such, so that a comment's signs inside of one are none. Words of SQL stand nowhere else. */
const stringOrComment = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

function withoutComments(text: string): string {
  return text.replaceAll(stringOrComment, (found) => (found.startsWith('/') ? '' : found));
}
