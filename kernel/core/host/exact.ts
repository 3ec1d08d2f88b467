import joi, { type ObjectSchema, type Schema } from 'joi';

/** Just the keys of a type, so that neither the schema nor the type has one that the other lacks. */
export type Keys<T extends object> = { readonly [Key in keyof Required<T>]: Schema };

/** A schema with just the keys of a type; unknown keys are refused. */
export function exact<T extends object>(keys: Keys<T>): ObjectSchema<T> {
  return joi.object<T>(keys).unknown(false);
}
