import type { Column, Kind, Value } from './column.js';

/** A value that PostgreSQL's column can't store unchanged. */
export class UnstorableValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Returns a value of SQLite in the form to compare by; SQLite stores more in a column than its type says. */
export function fromSqlite(value: unknown, column: Column): Value | UnstorableValue {
  return value === null ? null : rules[column.kind](value, column.type);
}

const rules: Readonly<Record<Kind, (value: unknown, type: string) => string | UnstorableValue>> = {
  boolean(value) {
    if (value === '1') return 'true';
    return value === '0' ? 'false' : new UnstorableValue('is neither 0 nor 1');
  },
  integer(value, type) {
    if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return new UnstorableValue('is not a whole number');
    return isWithin(BigInt(value), type) ? value : new UnstorableValue(`is too large for ${type}`);
  },
  number: (value) => (typeof value === 'number' ? String(value) : new UnstorableValue('is not a number')),
  text(value, type) {
    if (typeof value !== 'string') return new UnstorableValue('is not a text');
    if (value.includes('\0')) return new UnstorableValue("has a NUL character, which PostgreSQL can't store");
    const max = Number(/\((\d+)\)$/.exec(type)?.[1] ?? Number.POSITIVE_INFINITY);
    // PostgreSQL counts code points.
    return value.length <= max || Array.from(value).length <= max
      ? value
      : new UnstorableValue(`is longer than the ${max} characters of ${type}`);
  },
  bytes: (value) => (Buffer.isBuffer(value) ? String.raw`\x${value.toString('hex')}` : new UnstorableValue('is not binary data')),
};

const bits: Readonly<Record<string, number>> = { smallint: 16, integer: 32, bigint: 64 };

function isWithin(value: bigint, type: string): boolean {
  return BigInt.asIntN(bits[type] ?? 64, value) === value;
}
