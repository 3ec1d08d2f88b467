import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { fail as failCore, failures } from '../../contract/failure.js';
import { Budget } from '../limits/budget.js';

const fail = failures({ pattern_refused: 400 });

const max_pattern_length = 1_000;
/** Limit of the sum of all `{n}` in a pattern, because compiling expands each one. */
const max_repeats = 1_000;
/** Limit of program steps × characters: a longer text does not match. About 0.1 s, at worst 0.4 s. */
const max_work = 2_000_000;
/** Time limit per second for all patterns of a plugin. */
const max_ms = 200;
const second_ms = 1_000;

const flagsOf: Readonly<Record<string, 'CASE_INSENSITIVE' | 'MULTILINE' | 'DOTALL' | undefined>> = {
  i: 'CASE_INSENSITIVE',
  m: 'MULTILINE',
  s: 'DOTALL',
};

/** Loads re2js with the first pattern, because it would slow down a plugin's start. */
const require = createRequire(import.meta.url);

/**
 * Compiles the patterns in the schemas of one plugin. They run in the platform's process; RE2 matches in linear time, so that no
 * pattern can block it by backtracking.
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
   * Returns a regular expression that Joi can use. RE2's semantics apply: `\s` and `\b` cover ASCII only, `.` matches anything but a
   * line feed.
   *
   * @param flags Any of `i`, `m`, `s` and `u`.
   * @throws `pattern_refused` for look-around, back-references, and patterns that are too long or repeat too often.
   */
  readonly make = (source: string, flags: string): RegExp => {
    const compiled = this.#compiled(source, flags);
    const max_length = Math.floor(max_work / compiled.programSize());
    return new LinearPattern(source, flags, (text) => text.length <= max_length && this.#timed(() => compiled.test(text)));
  };

  /** Returns the steps of a pattern's program; matching costs steps × text length. */
  readonly size = (source: string, flags: string): number => this.#compiled(source, flags).programSize();

  #compiled(source: string, flags: string): RE2JS {
    const key = `${flags}/${source}`;
    const program = this.#programs.get(key) ?? this.#compile(source, flags);
    this.#programs.set(key, program);
    return program;
  }

  #compile(source: string, flags: string): RE2JS {
    const refused = (why: string, cause?: unknown) => {
      const excerpt = source.length > 100 ? `${source.slice(0, 100)}…` : source;
      return fail('pattern_refused', `The pattern '${excerpt}' is not supported: ${why}`, { cause });
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
      throw failCore('rate_limited', `Extension '${this.#plugin}' has used up its time limit for patterns`, { retry_after: 1 });
    }
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#time.use(performance.now() - start);
    }
  }
}

/** Returns the sum of the counts in `{n}`, `{n,}` and `{n,m}`. */
function repeatsOf(source: string): number {
  return [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce((sum, [, min = '0', max]) => sum + Number(max || min), 0);
}

/** A `RegExp` only by type, so that schemas can hold and describe it; RE2 does the matching. */
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
    throw new Error('A pattern of a plugin supports test() only');
  }
}
