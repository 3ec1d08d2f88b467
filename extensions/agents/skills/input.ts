import { fail } from '../../../kernel/contract/index.js';
import { max_page } from './pages.js';

/** What a model wants to read of a skill. */
export interface Reading {
  skill: string;
  path: string;
  /** In bytes: how many stand before it. */
  offset: number;
  limit: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** A page can't be shorter than a character. */
const least_page = 16;
const max_text_length = 400;

/** The skill that is named; undefined where none is. Fails with `invalid_input`. */
export function nameIn(input: object): string | undefined {
  const { name } = input as Fields;
  return name === undefined || name === null || name === '' ? undefined : textOf('name', name);
}

/** @throws `invalid_input` */
export function readingIn(input: object): Reading {
  const { skill, path, offset = 0, limit = max_page } = input as Fields;
  return {
    skill: textOf('skill', skill),
    path: textOf('path', path)
      .replace(/^(\.\/)+/, '')
      .normalize('NFC'),
    offset: wholeOf('offset', offset, [0, Number.MAX_SAFE_INTEGER]),
    limit: wholeOf('limit', limit, [least_page, max_page]),
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
