import joi from 'joi';
import { fail, isFailure } from '../../contract/failure.js';
import { schemaFromData } from './joi-schema.js';
import { Patterns } from './pattern.js';

/** Size limit of one schema, as JSON. */
const schema_bytes = 65_536;
/** Limit of patterns in all schemas of a manifest together, because compiling one takes milliseconds. */
const max_patterns = 300;

/** Checks the schemas of one third party's manifest: each must compile with the engine that validates with it later. */
export class ForeignSchemas {
  readonly #patterns: Patterns;
  readonly #add: (path: string, message: string) => unknown;
  #left = max_patterns;

  /** @param add Called for each fault, with its path. */
  constructor(extension: string, add: (path: string, message: string) => unknown) {
    this.#patterns = new Patterns(extension);
    this.#add = add;
  }

  check(schema: object, path: string): void {
    if (JSON.stringify(schema).length > schema_bytes) this.#add(path, `is longer than ${schema_bytes} characters`);
    try {
      schemaFromData(joi, schema, (source, flags) => this.#pattern(source, flags));
    } catch (fault) {
      if (!isFailure(fault)) throw fault;
      this.#add(path, `is not a supported schema: ${fault.message}`);
    }
  }

  /** Compiles a pattern with the engine that matches it later, so that an unsupported one is rejected now. */
  #pattern(source: string, flags: string): RegExp {
    this.#left -= 1;
    if (this.#left < 0) throw fail('invalid_input', `all schemas together have more than ${max_patterns} patterns`);
    return this.#patterns.make(source, flags);
  }
}
