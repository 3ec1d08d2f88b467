import type * as Yaml from 'yaml';
import type { Document, Scalar, YAMLError } from 'yaml';
import { fail } from './codes.js';

/** A parsed front matter. */
export interface FrontMatter {
  values: Readonly<Record<string, unknown>>;
  /** Sentences about content that is valid but probably unintended. */
  warnings: readonly string[];
}

/** Lines of the file before the front matter. */
const lines_before = 1;
const max_faults = 20;
const max_warnings = 20;

/**
 * Reads a front matter. Line numbers count from the top of the file.
 *
 * @throws `skill_invalid`
 */
export async function readFrontMatter(front: string): Promise<FrontMatter> {
  const yaml = await import('yaml');
  return unaliased(() => {
    // The failsafe schema has no types, so `1.10` and `no` stay text.
    const document = yaml.parseDocument(front, { schema: 'failsafe', strict: true, logLevel: 'silent', prettyErrors: true });
    assertSound(document, front);
    const values = document.toJS({ maxAliasCount: 0 }) as unknown;
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      throw fail('skill_invalid', 'The front matter of SKILL.md must be keys with values, as in name: reports');
    return { values: values as FrontMatter['values'], warnings: warningsOf(document, front, yaml) };
  });
}

function assertSound({ errors }: Document.Parsed, front: string): void {
  if (errors.length === 0) return;
  const sentences = errors.slice(0, max_faults).map((error) => sentenceOf(error, front));
  const details = sentences.map((message) => ({ path: '', message }));
  throw fail('skill_invalid', `The front matter of SKILL.md is not valid YAML: ${sentences[0]}`, { details });
}

function sentenceOf(error: YAMLError, front: string): string {
  const [{ line, col }] = error.linePos ?? [{ line: 1, col: 1 }];
  const what = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').slice(0, 200);
  const hint = hintFor(front.split('\n'), line - 1);
  return `line ${line + lines_before}, column ${col}: ${what}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Returns advice for a line and the one above: the parser may report the fault of a value one line too low. */
function hintFor(lines: readonly string[], at: number): string | undefined {
  const near = [at, at - 1].map((index) => lines[index]?.replace(/\r$/, '') ?? '');
  if (near.some((line) => /^ *\t/.test(line))) return 'indent with spaces, not with tabs';
  for (const line of near) {
    const [, key, value = ''] = /^\s*(?:- )?([^\s:#][^:]*?)\s*:(?:\s+(.*))?$/.exec(line) ?? [];
    if (key !== undefined && needsQuotes(value)) return `put the value of ${key.slice(0, 60)} in quotes, as in ${key.slice(0, 60)}: "…"`;
  }
  return undefined;
}

function needsQuotes(value: string): boolean {
  if (/^["'|>]/.test(value)) return false;
  return /^[@`%&*!?[\]{},-]/.test(value) || /:(?:\s|$)/.test(value);
}

/** Warns about values that probably differ from what their author meant. */
function warningsOf(document: Document.Parsed, front: string, { visit, isPair, isScalar }: typeof Yaml): string[] {
  const found: string[] = [];
  visit(document, {
    Scalar(place, value, path) {
      const key = path.findLast((above) => isPair(above))?.key;
      const label = isScalar(key) ? String(key.value).slice(0, 60) : '';
      const why = place === 'key' ? undefined : doubtOf(value, label);
      if (why === undefined) return;
      const line = front.slice(0, value.range?.[0] ?? 0).split('\n').length + lines_before;
      found.push(`SKILL.md, line ${line}: ${why}; put the value of ${label} in quotes`);
    },
  });
  return found.slice(0, max_warnings);
}

/** Types of unquoted words in YAML 1.1 or 1.2 (https://yaml.org/type/). */
const kinds: readonly [kind: string, pattern: RegExp][] = [
  ['true or false', /^(?:y|yes|n|no|true|false|on|off)$/i],
  ['nothing', /^(?:~|null)$/i],
  ['a number', /^[-+]?(?:0[bxo][\da-f_]+|(?:\d[\d_]*)?\.?\d[\d_]*\.?(?:e[-+]?\d+)?|\.inf|\.nan|\d+(?::[0-5]?\d)+)$/i],
  ['a date', /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?$/],
];

function doubtOf({ type, value, comment, anchor, tag }: Scalar, key: string): string | undefined {
  if (anchor !== undefined) return `'&${anchor.slice(0, 60)}' names the value and is left out of it`;
  if (tag !== undefined) return `'${tag.slice(0, 60)}' is a tag and is left out of the value`;
  if (type !== 'PLAIN') return undefined;
  if (comment) return `' #' begins a comment, so '#${comment.slice(0, 60)}' is left out`;
  const kind = key === 'name' ? undefined : kinds.find(([, pattern]) => pattern.test(String(value)))?.[0];
  return kind && `other programs read ${String(value).slice(0, 60)} as ${kind}`;
}

function unaliased<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    // Thrown for aliases, and for nesting that exceeds the stack.
    if (!(cause instanceof ReferenceError || cause instanceof RangeError)) throw cause;
    const what = cause instanceof RangeError ? 'is nested too deeply' : "must not use aliases; put a value that begins with '*' in quotes";
    throw fail('skill_invalid', `The front matter of SKILL.md ${what}`, { cause });
  }
}
