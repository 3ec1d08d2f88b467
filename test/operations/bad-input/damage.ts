import { text } from '../../../kernel/client/route.js';
import type { Field, Subject } from './subject.js';

/** A way in which the value of a field can be wrong. */
interface Damage {
  name: string;
  /** Undefined leaves the field out. */
  values: readonly unknown[];
  /** Whether no operation takes such a value, whatever its schema; else only those are wrong that the schema refuses. */
  harmful?: boolean;
}

const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

export const damages: readonly Damage[] = [
  { name: 'omitted', values: [undefined] },
  { name: 'null', values: [null] },
  { name: 'an object', values: [{}, { id: 1 }, { $ne: null }, { toString: 'x', length: 3 }] },
  { name: 'a list', values: [[], ['x'], [[1]], [{}], [null]] },
  { name: 'a boolean', values: [true, false] },
  { name: 'a number', values: [0, 1, 7] },
  { name: 'a negative number', values: [-1, -2_147_483_649] },
  { name: 'a fraction', values: [1.5, 0.000_000_1] },
  { name: 'a huge number', values: [2_147_483_648, 9_007_199_254_740_992, 1e21, 1e308] },
  { name: 'a number in an unusual notation', values: ['NaN', 'Infinity', '0x1f', '1,5', '\u0661', '9'.repeat(400), '1e400', '--1'] },
  { name: 'empty', values: ['', ' ', '\u00a0\u3000'] },
  { name: 'nonsense', values: ['nonsense', 'true false', '01900000-0000-7000-8000-00000000000g', '01900000000070008000000000000000x'] },
  { name: 'too long', values: ['x'.repeat(500), 'é'.repeat(2_000), '😀'.repeat(50_000), ' '.repeat(300_000), 'x'.repeat(1_000_000)] },
  { name: 'text with control characters', values: ['a\u0007b', 'a\r\nb', '\u001b[2J', '\u2028', '\u202e'] },
  { name: 'SQL', values: ["' OR 1=1 --", '1; DROP TABLE members_members; --', '$1', "x' UNION SELECT * FROM members_members --"] },
  { name: 'a path', values: ['../../../../etc/passwd', '..\\..\\x', '/etc/passwd', 'C:\\x', 'file:///etc/passwd'] },
  { name: 'a template', values: ['{{7*7}}', `\${process.env}`, '%s%n%x', '<script>alert(1)</script>'] },
  { name: 'the name of an inherited property', values: ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] },
  {
    name: 'an invalid time',
    values: ['2024-02-30T25:61:61Z', '+275760-09-13T00:00:00.001Z', '-271821-04-19T23:59:59Z', '0000-00-00', '99999-01-01'],
  },
  { name: 'a list far above the limit', values: [Array.from({ length: 10_000 }, () => ({})), Array.from({ length: 200_000 }, () => 'x')] },
  { name: 'an object of 10,000 keys', values: [Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key-${n}`, n]))] },
  { name: 'text with a NUL', values: ['a\0b', '\0'], harmful: true },
  { name: 'text with half of a surrogate pair', values: ['a\ud800b', '\udfff'], harmful: true },
  { name: 'nested too deep', values: [deep(65), deep(3_000)], harmful: true },
  {
    name: 'an object with a prototype',
    values: [JSON.parse('{"__proto__": {"role": "admin"}}'), [JSON.parse('{"a": {"__proto__": 1}}')]],
    harmful: true,
  },
];

/** A damaged input, and the code that it must get. */
export interface Damaged {
  what: string;
  input: Readonly<Record<string, unknown>>;
  code: string;
}

/** Inputs with one damaged field each, as any way but HTTP brings them. */
export function damaged(subject: Subject, damage: Damage): Damaged[] {
  return subject.fields.flatMap(({ key }) =>
    damage.values.flatMap((value) => made(subject, { key, value, harmful: damage.harmful ?? false })),
  );
}

/** The same for HTTP, where only text can come by the address. */
export function damagedOnWire(subject: Subject, damage: Damage): Damaged[] {
  return subject.fields.flatMap((field) => {
    return damage.values.flatMap((value) => {
      if (field.place === 'body') return made(subject, { key: field.key, value, harmful: damage.harmful ?? false });
      return asTexts(subject, field, value);
    });
  });
}

/** Node's limit of the address and headers of a request. */
const head_bytes = 16_384;
/** A longer list in an address is too long like this one. */
const max_repeated = 10_000;
/** Limit of a form's fields, besides its other parts. */
const max_parts = 40;

function asTexts(subject: Subject, { key, place }: Field, value: unknown): Damaged[] {
  const arrives = asText(value);
  if (place === 'path' && (typeof arrives !== 'string' || /^\.{0,2}$/.test(arrives))) return [];
  const texts = [arrives ?? ''].flat();
  if (!texts.every((one) => one.isWellFormed())) return [];
  const [input] = made(subject, { key, value: arrives, harmful: texts.some((one) => one.includes('\0')) });
  if (!input) return [];
  if (place === 'form') return [{ ...input, code: texts.length > max_parts ? 'malformed_request' : input.code }];
  return [{ ...input, code: encodeURIComponent(texts.join('&')).length > head_bytes ? 'header_too_large' : input.code }];
}

function asText(value: unknown): string | string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return text(value);
  // A value given twice is a list of two; a list of one is like that one.
  return value.length > 1 ? value.slice(0, max_repeated).map(text) : text(value[0] ?? '');
}

function made(subject: Subject, { key, value, harmful }: { key: string; value: unknown; harmful: boolean }): Damaged[] {
  const { [key]: _good, ...rest } = subject.input;
  const input = value === undefined ? rest : { ...rest, [key]: value };
  if (!harmful && subject.accepts(input)) return [];
  return [{ what: `${key}: ${shown(value)}`, input, code: harmful ? 'malformed_request' : 'invalid_input' }];
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return value === undefined ? 'left out' : JSON.stringify(value).slice(0, 60);
}
