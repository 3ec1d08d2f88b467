import { fail } from '../../../../kernel/contract/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** Limit of a command in characters: a program accepts 131,072 bytes as one argument. */
const max_command_length = 32_000;
const max_path_length = 4_096;

/** Reads the fields of a tool's input, which a model wrote. Each method fails with `invalid_input` if its field is not as described. */
export class ToolInput {
  readonly #fields: Fields;

  constructor(input: object) {
    this.#fields = input as Fields;
  }

  /** Returns a text of at most `max` characters without NUL; `empty`: it may be empty. */
  text(key: string, { max, empty = false }: { max: number; empty?: boolean }): string {
    const value = this.#fields[key];
    if (typeof value !== 'string' || (value === '' && !empty)) throw invalid(key, 'must be a text');
    if (value.length > max) throw invalid(key, `may have ${max} characters but has ${value.length}`);
    if (value.includes('\0')) throw invalid(key, 'must not contain NUL');
    return value;
  }

  /** Returns the field `command`. */
  command(): string {
    return this.text('command', { max: max_command_length });
  }

  /** Returns the field `path`, or the fallback if it is missing. */
  path(fallback?: string): string {
    return fallback !== undefined && this.#fields.path === undefined ? fallback : this.text('path', { max: max_path_length });
  }

  /** Returns a path; undefined if it is missing or null. */
  optionalPath(key: string): string | undefined {
    return this.#fields[key] === undefined || this.#fields[key] === null ? undefined : this.text(key, { max: max_path_length });
  }

  /** Returns a whole number from `min` to `max`, or the fallback if it is missing or null. */
  whole(key: string, { min, max, fallback }: { min: number; max: number; fallback: number }): number {
    const value = this.#fields[key] ?? fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw invalid(key, `must be a whole number from ${min} to ${max}`);
  }

  /** Returns one of the values; undefined if it is missing or null. */
  choice<const T extends string>(key: string, values: readonly T[]): T | undefined {
    const value = this.#fields[key];
    if (value === undefined || value === null) return undefined;
    if (values.includes(value as T)) return value as T;
    throw invalid(key, `must be one of ${values.join(', ')}`);
  }
}

function invalid(path: string, what: string) {
  const message = `"${path}" ${what}`;
  return fail('invalid_input', message, { details: [{ path, message }] });
}
