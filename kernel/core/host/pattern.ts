import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { fail as failCore, failures } from '../../contract/failure.js';
import { Budget } from '../limits/budget.js';

const fail = failures({ pattern_refused: 400 });

const max_pattern_length = 1_000;
/** Bound of the sum of all `{n}` of a pattern, because compiling writes each one out. */
const max_repeats = 1_000;
/** Steps of a pattern's program times characters of the text: a longer text does not match. About 0.1 s, at worst 0.4 s. */
const max_work = 2_000_000;
/** For all patterns of a plugin in a second. */
const max_ms = 200;
const second_ms = 1_000;

const flagsOf: Readonly<Record<string, 'CASE_INSENSITIVE' | 'MULTILINE' | 'DOTALL' | undefined>> = {
  i: 'CASE_INSENSITIVE',
  m: 'MULTILINE',
  s: 'DOTALL',
};

/** Loaded with the first pattern, because it would make a plugin's start too slow. */
const require = createRequire(import.meta.url);

/**
 * The patterns in the schemas of one plugin. They run in the platform's process: matched by RE2, whose time rises with the
 * length of the text and no faster, so that none can hold it up as a backtracking one does.
 */
export class Patterns {
  readonly #plugin: string;
  readonly #time = new Budget(max_ms, second_ms);
  /** Compiled patterns; bounded by the plugin's schemas. */
  readonly #programs = new Map<string, RE2JS>();

  constructor(plugin: string) {
    this.#plugin = plugin;
  }

  /**
   * To Joi a regular expression like any other. What RE2 reads otherwise than JavaScript counts as RE2 reads it: `\s` and
   * `\b` know ASCII, `.` is anything but a line feed.
   *
   * @param flags Of `i`, `m`, `s` and `u`.
   * @throws `pattern_refused` for look-around, references to groups, and what is too long or repeats too often.
   */
  readonly make = (source: string, flags: string): RegExp => {
    const compiled = this.#compiled(source, flags);
    const longest = Math.floor(max_work / compiled.programSize());
    return new LinearPattern(source, flags, (text) => text.length <= longest && this.#timed(() => compiled.test(text)));
  };

  /** The steps of a pattern's program: its work rises with them and with the length of the text. */
  readonly size = (source: string, flags: string): number => this.#compiled(source, flags).programSize();

  #compiled(source: string, flags: string): RE2JS {
    const key = `${flags}/${source}`;
    const program = this.#programs.get(key) ?? this.#compile(source, flags);
    this.#programs.set(key, program);
    return program;
  }

  #compile(source: string, flags: string): RE2JS {
    const refused = (why: string, cause?: unknown) => {
      const shown = source.length > 100 ? `${source.slice(0, 100)}…` : source;
      return fail('pattern_refused', `The pattern '${shown}' can't be used here: ${why}`, { cause });
    };
    if (source.length > max_pattern_length) throw refused(`it is longer than ${max_pattern_length} characters`);
    if (repeatsOf(source) > max_repeats) throw refused(`it repeats more than ${max_repeats} times`);
    const unknown = flags.split('').find((flag) => flag !== 'u' && flagsOf[flag] === undefined);
    if (unknown !== undefined) throw refused(`the flag '${unknown}' is not known`);
    const { RE2JS } = require('re2js') as typeof import('re2js');
    const wanted = flags
      .split('')
      .map((flag) => flagsOf[flag])
      .reduce((all, name) => (name === undefined ? all : all | RE2JS[name]), 0);
    try {
      return RE2JS.compile(RE2JS.translateRegExp(source), wanted);
    } catch (cause) {
      throw refused(cause instanceof Error ? cause.message : String(cause), cause);
    }
  }

  #timed(work: () => boolean): boolean {
    if (!this.#time.use(0)) {
      throw failCore('rate_limited', `Extension '${this.#plugin}' has used up the time for its patterns`, { retry_after: 1 });
    }
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#time.use(performance.now() - start);
    }
  }
}

/** The sum of what stands in `{n}`, `{n,}` and `{n,m}`. */
function repeatsOf(source: string): number {
  return [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce((sum, [, min = '0', max]) => sum + Number(max || min), 0);
}

/** Looks like a regular expression, so that schemas can hold and describe it; never runs as one. */
class LinearPattern extends RegExp {
  readonly #matches: (text: string) => boolean;

  constructor(source: string, flags: string, matches: (text: string) => boolean) {
    super(source, flags);
    this.#matches = matches;
  }

  override test(text: string): boolean {
    return this.#matches(text);
  }

  override exec(): never {
    throw new Error('A pattern of a plugin tells whether a text matches, and nothing else');
  }
}
