/** The parsed value, or a sentence for each fault. */
export type Parsed<Value> = { readonly value: Value } | { readonly faults: readonly string[] };

/** Longer values are rejected unparsed. */
export const max_value_length = 200;

export const minute_ms = 60_000;
export const day_ms = 86_400_000;
