import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectSchema } from 'joi';
import type { Fault } from '../../contract/failure.js';
import { type JsonFault, jsonFault } from '../../contract/json-fault.js';
import type { Manifest } from '../../contract/manifest.js';
import { fail } from './codes.js';
import { ownManifest } from './manifest-schema.js';

/** Limit of reported faults. */
const max_faults = 100;

/** Reads and checks the manifest of the extension in `folder`. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fail('manifest_invalid', `There is no readable manifest.json in ${folder}`, { cause });
  });
  return parseManifest(text);
}

/** Checks the text of a built-in manifest, or of a plugin's that `parseForeignManifest` has checked before. */
export function parseManifest(text: string): Manifest {
  const { value, faults } = validated(parseJson(text), ownManifest);
  assertNone(faults);
  return value;
}

/** Validates data. The value is a manifest only if there are no faults. */
export function validated(data: unknown, schema: ObjectSchema<Manifest>): { value: Manifest; faults: readonly Fault[] } {
  const { value, error } = schema.validate(data, { abortEarly: false });
  const faults = error?.details.map(({ path, message }) => ({ path: path.join('.'), message })) ?? [];
  return { value: value as Manifest, faults };
}

/** Fails with `manifest_invalid` if there are faults. */
export function assertNone(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const sentence = faults
    .slice(0, 5)
    .map(({ message }) => message)
    .join('. ');
  const more = faults.length > 5 ? `, and ${faults.length - 5} more` : '';
  throw fail('manifest_invalid', `manifest.json is not valid: ${sentence}${more}`, { details: faults.slice(0, max_faults) });
}

/** Parses JSON, ignoring a byte order mark (RFC 8259, 8.1). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw notJson(jsonFault(text.replace(/^\uFEFF/, '')), cause);
  }
}

/** Fails with `manifest_invalid` for a duplicate key, because programs differ in which value they use. */
export function assertPlainJson(text: string): void {
  const fault = jsonFault(text.replace(/^\uFEFF/, ''));
  if (fault !== undefined) throw notJson(fault);
}

function notJson(fault: JsonFault | undefined, cause?: unknown) {
  const where = fault === undefined ? '' : `, line ${fault.line}, column ${fault.column}: ${fault.message}`;
  return fail('manifest_invalid', `manifest.json is not valid JSON${where}`, { cause });
}
