import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectSchema } from 'joi';
import type { Fault } from '../contract/failure.js';
import type { Manifest } from '../contract/manifest.js';
import { fail } from './codes.js';
import { ownManifest } from './manifest-schema.js';

/** As many faults of a manifest are told at once. */
const most_faults = 100;

/** Reads and checks the manifest of the extension in `folder`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fail('manifest_invalid', `There is no readable manifest.json in ${folder}`, { cause });
  });
  return parseManifest(text);
}

/** Checks the text of a manifest that belongs to the platform, or was checked as a third party's before. */
export function parseManifest(text: string): Manifest {
  const { value, faults } = validated(parseJson(text), ownManifest);
  assertNone(faults);
  return value;
}

/** The value is a manifest only where there are no faults. */
export function validated(data: unknown, schema: ObjectSchema<Manifest>): { value: Manifest; faults: readonly Fault[] } {
  const { value, error } = schema.validate(data, { abortEarly: false });
  const faults = error?.details.map(({ path, message }) => ({ path: path.join('.'), message })) ?? [];
  return { value: value as Manifest, faults };
}

/** Fails with `manifest_invalid` where there are faults. */
export function assertNone(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const sentence = faults
    .slice(0, 5)
    .map(({ message }) => message)
    .join('. ');
  const more = faults.length > 5 ? `, and ${faults.length - 5} more` : '';
  throw fail('manifest_invalid', `manifest.json is not valid: ${sentence}${more}`, { details: faults.slice(0, most_faults) });
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail('manifest_invalid', 'manifest.json is not valid JSON', { cause });
  }
}
