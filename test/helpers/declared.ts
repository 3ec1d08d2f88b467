import assert from 'node:assert/strict';
import joi from 'joi';
import type { EventType } from '../../kernel/contract/index.js';

/** Fails unless an event or a frame is declared, with data of that shape. */
export function assertDeclared(
  types: (j: typeof joi) => Readonly<Record<string, EventType>>,
  { type, data }: { type: string; data: object },
): void {
  const declared = types(joi)[type];
  assert(declared, `'${type}' is not declared`);
  const { error } = declared.data.validate(data, { convert: false, abortEarly: false });
  assert(!error, `'${type}' has another shape than is declared: ${error?.message}`);
}
