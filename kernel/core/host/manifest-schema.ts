import joi from 'joi';
import semver from 'semver';
import type { Manifest } from '../../contract/manifest.js';

/** Length limit of versions and ranges, because parsing a range takes more than linear time. */
const max_range_length = 200;

const version = joi.string().custom((value: string) => {
  // semver ignores a leading v and surrounding whitespace, so one version would have two spellings.
  if (value.length > max_range_length || !/^[0-9][!-~]*$/.test(value) || !semver.valid(value))
    throw new Error('must be a semantic version such as 1.4.0');
  return value;
});

const range = joi.string().custom((value: string) => {
  if (value.length > max_range_length || semver.validRange(value) === null) throw new Error('must be a semver range such as ^1.2.0');
  return value;
});

const id = joi.string().pattern(/^[a-z0-9][a-z0-9._-]{1,63}$/);
/** Returns the schema of a single-line text. */
export const line = (max: number) =>
  joi
    .string()
    .max(max)
    .pattern(/^[^\p{Cc}\u2028\u2029]*$/u, 'one line');
/** Keys of every manifest. */
export const shared = {
  id: id.required(),
  name: line(64).required(),
  type: joi.string().valid('plugin', 'skill').required(),
  version: version.required(),
  description: line(500).required(),
  author: line(100).required(),
  license: line(100),
  dependencies: joi.object().pattern(id, range).max(50).unknown(false),
  engines: joi.object({ platform: range }).unknown(false),
};

/**
 * Contributions of built-in extensions, which the build writes: only the fields that the loader needs are checked. By hand, because
 * a start and a replacement wait for it and Joi takes ten times as long.
 */
const ownContributes = joi
  .object({
    operations: joi.object().custom((operations: object) => {
      for (const [id, operation] of Object.entries(operations)) assertTexts(operation, ['summary', 'method', 'path'], `operation '${id}'`);
      return operations;
    }),
    commands: joi.array().custom((commands: unknown[]) => {
      for (const [at, command] of commands.entries()) assertTexts(command, ['operation', 'command'], `command ${at}`);
      return commands;
    }),
  })
  .unknown();

function assertTexts(data: unknown, keys: readonly string[], what: string): void {
  const object = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  const missing = keys.find((key) => typeof object[key] !== 'string' || object[key] === '');
  if (missing) throw new Error(`${what} has no text '${missing}'`);
}

/** Manifests of built-in extensions, and of plugins that were checked before. */
export const ownManifest = joi
  .object<Manifest>({
    ...shared,
    main: joi.string().max(200).default('index.cjs'),
    claims: joi.array().items(joi.string().pattern(/^(\/|(\/[A-Za-z0-9._-]+)+)$/)),
    protocols: joi.object().pattern(joi.string(), joi.string().valid('openai', 'json-rpc')),
    required: joi.boolean(),
    requires: joi.array().items(joi.string()),
    contributes: ownContributes,
  })
  .unknown();
