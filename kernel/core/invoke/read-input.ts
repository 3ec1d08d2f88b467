import type { Handling } from '../../contract/extension.js';
import type { Fault } from '../../contract/failure.js';
import type { Operation } from '../../contract/operation.js';
import type { ActiveOperation } from '../catalog/catalog.js';
import { withoutOptionalNulls } from './optional-nulls.js';
import { assertSafeValue } from './safe-value.js';
import { droppedFields, hasField, unknownField } from './unknown-fields.js';
import { cut, invalid, isObject, read } from './validate.js';

export interface Validation {
  handling: Handling;
  /** Whether a model wrote the input: an optional argument that is `null` counts as absent. */
  byModel?: boolean;
  /** Receives the fields that were dropped, unknown ones first. Called only if there are any. */
  ignored?: ((names: readonly string[]) => void) | undefined;
  /** Input that a door has validated already. */
  valid?: object | undefined;
}

type Checked = Pick<ActiveOperation, 'input' | 'data' | 'operation' | 'read'>;

/**
 * Validates an input. Returns it as converted by the schema, without unknown fields, or a function that reads it in another process.
 * Reports all faults at once.
 *
 * @throws `invalid_input`, or `unknown_field` if nothing else is wrong
 */
export function readInput(active: Checked, sent: unknown, by: Validation): object | (() => Promise<object>) {
  const input = by.byModel ? withoutOptionalNulls(active.data().input, sent) : sent;
  const unknownIn = (value: object) =>
    isObject(input) && by.handling !== 'silent' ? unknownFaults(active, droppedFields(input, value), by) : [];
  const known = (value: object) => {
    const unknown = unknownIn(value);
    if (unknown.length > 0) throw invalid('unknown_field', unknown, 0);
    return value;
  };
  if (by.valid) {
    assertSafeValue(input);
    return known(by.valid);
  }
  const elsewhere = active.read?.(input);
  if (elsewhere) return async () => known(await elsewhere());
  const { value, faults, more } = read(active.input, input);
  if (faults.length > 0) throw invalid('invalid_input', [...faults, ...unknownIn(value)], more);
  return known(value);
}

/**
 * Returns the faults among dropped fields. Lenient handling drops unknown fields of the top level; nested ones are always faults. Fields
 * of the answer of a `PUT` are no faults, because clients send back whole records.
 */
function unknownFaults(
  { data, operation }: Pick<ActiveOperation, 'data' | 'operation'>,
  dropped: readonly (readonly string[])[],
  { handling, byModel = false, ignored }: Validation,
): Fault[] {
  if (dropped.length === 0) return [];
  const { input, answer } = data();
  const isReadOnly = (path: readonly string[]) => operation.method === 'PUT' && !byModel && hasField(answer, path);
  const [readOnly, unknown] = [dropped.filter(isReadOnly), dropped.filter((path) => !isReadOnly(path) && !isOfKind(operation, path))];
  const isFault = (path: readonly string[]) => handling === 'strict' || path.length > 1;
  ignored?.([...unknown.filter((path) => !isFault(path)), ...readOnly].map((path) => path.join('.')));
  return unknown.filter(isFault).map((path) => {
    const { path: name, message } = unknownField(path, input);
    return { path: cut(name), message: cut(message) };
  });
}

/** Returns whether a field belongs to every operation of its kind: the file of an upload or the cursor of a stream. */
function isOfKind({ kind }: Operation, path: readonly string[]): boolean {
  return path.length === 1 && ((kind === 'upload' && path[0] === 'file') || (kind === 'stream' && path[0] === 'after'));
}
