import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import joi from 'joi';
import semver from 'semver';
import type { Manifest } from '../contract/manifest.js';
import { fail } from './codes.js';

const version = joi.string().custom((value: string) => {
  if (!semver.valid(value)) throw new Error('must be a semantic version such as 1.4.0');
  return value;
});

const range = joi.string().custom((value: string) => {
  if (semver.validRange(value) === null) throw new Error('must be a semver range such as ^1.2.0');
  return value;
});

const operation = joi
  .object({ summary: joi.string().required(), method: joi.string().required(), path: joi.string().required() })
  .unknown();

const schema = joi
  .object<Manifest>({
    id: joi
      .string()
      .pattern(/^[a-z0-9][a-z0-9._-]{1,63}$/)
      .required(),
    name: joi.string().max(64).required(),
    type: joi.string().valid('plugin', 'skill').required(),
    version: version.required(),
    description: joi.string().max(500).required(),
    author: joi.string().max(100).required(),
    license: joi.string().max(100),
    claims: joi.array().items(joi.string().pattern(/^(\/[A-Za-z0-9._-]+)+$/)),
    required: joi.boolean(),
    main: joi.string().max(200).default('index.cjs'),
    requires: joi.array().items(joi.string()),
    dependencies: joi.object().pattern(joi.string(), range),
    engines: joi.object({ platform: range }),
    contributes: joi.object({
      operations: joi.object().pattern(joi.string(), operation),
      commands: joi.array().items(joi.object({ operation: joi.string().required(), command: joi.string().required() }).unknown()),
    }),
  })
  .unknown();

/** Reads and checks the manifest of the extension in `folder`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fail('manifest_invalid', `There is no readable manifest.json in ${folder}`, { cause });
  });
  return parseManifest(text);
}

/** Checks the text of a manifest. */
export function parseManifest(text: string): Manifest {
  const { value, error } = schema.validate(parseJson(text), { abortEarly: false });
  if (!error) return value as Manifest;
  const details = error.details.map((fault) => ({ path: fault.path.join('.'), message: fault.message }));
  throw fail('manifest_invalid', `manifest.json is not valid: ${error.message}`, { details });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail('manifest_invalid', 'manifest.json is not valid JSON', { cause });
  }
}
