import joi, { type ObjectSchema, type Schema } from 'joi';

/** Schemas for exactly the keys of a type: a missing or extra key doesn't compile. */
export type Keys<T extends object> = { readonly [Key in keyof Required<T>]: Schema };

/** Returns a schema with exactly the keys of a type; it rejects unknown keys. */
export function exact<T extends object>(keys: Keys<T>): ObjectSchema<T> {
  return joi.object<T>(keys).unknown(false);
}
