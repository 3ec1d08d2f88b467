import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectSchema } from 'joi';
import type { Fault } from '../../contract/failure.js';
import { type JsonFault, jsonFault } from '../../contract/json-fault.js';
import type { Manifest } from '../../contract/manifest.js';
import { fail } from './codes.js';
import { ownManifest } from './manifest-schema.js';

/** As many faults of a manifest are told at once. */
const max_faults = 100;

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
  throw fail('manifest_invalid', `manifest.json is not valid: ${sentence}${more}`, { details: faults.slice(0, max_faults) });
}

/** Reads JSON; a byte order mark before it is passed over (RFC 8259, 8.1). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw notJson(jsonFault(text.replace(/^\uFEFF/, '')), cause);
  }
}

/** Fails with `manifest_invalid` where a key is there twice: programs differ in which one they take. */
export function assertPlainJson(text: string): void {
  const fault = jsonFault(text.replace(/^\uFEFF/, ''));
  if (fault !== undefined) throw notJson(fault);
}

function notJson(fault: JsonFault | undefined, cause?: unknown) {
  const where = fault === undefined ? '' : `, line ${fault.line}, column ${fault.column}: ${fault.message}`;
  return fail('manifest_invalid', `manifest.json is not valid JSON${where}`, { cause });
}
