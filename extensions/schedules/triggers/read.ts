/** What a text means, or a sentence for each thing that is wrong with it. */
export type Read<Value> = { readonly value: Value } | { readonly faults: readonly string[] };

/** Longer values are refused unread. */
export const max_value_length = 200;

export const minute_ms = 60_000;
export const day_ms = 86_400_000;
