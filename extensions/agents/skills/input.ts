import { fail } from '../../../kernel/contract/index.js';
import { max_page } from './pages.js';

/** Part of a skill's file that a model requests. */
export interface FileRange {
  skill: string;
  path: string;
  /** Offset in bytes. */
  offset: number;
  limit: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** Minimum length of a page: more than a character. */
const min_page = 16;
const max_text_length = 400;

/** Reads the skill's name; undefined if none is given. Fails with `invalid_input`. */
export function nameIn(input: object): string | undefined {
  const { name } = input as Fields;
  return name === undefined || name === null || name === '' ? undefined : textOf('name', name);
}

/**
 * Reads the requested part.
 *
 * @throws `invalid_input`
 */
export function fileRangeIn(input: object): FileRange {
  const { skill, path, offset = 0, limit = max_page } = input as Fields;
  return {
    skill: textOf('skill', skill),
    path: textOf('path', path)
      .replace(/^(\.\/)+/, '')
      .normalize('NFC'),
    offset: wholeOf('offset', offset, [0, Number.MAX_SAFE_INTEGER]),
    limit: wholeOf('limit', limit, [min_page, max_page]),
  };
}

function textOf(key: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && value.length <= max_text_length) return value;
  throw invalid(key, `must be a text of 1 to ${max_text_length} characters`);
}

function wholeOf(key: string, value: unknown, [min, max]: readonly [number, number]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalid(key, `must be a whole number from ${min} to ${max}`);
}

function invalid(path: string, what: string) {
  const message = `"${path}" ${what}`;
  return fail('invalid_input', message, { details: [{ path, message }] });
}
