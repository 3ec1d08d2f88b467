/** Operation in the rows of rate-limited requests, which are refused before their operation is known. */
export const over_limit = 'http.limit';

/** Limits of the trail's columns, in characters. */
export const max_lengths = { address: 64, target: 256, username: 64, outcome: 64, via: 64 } as const;
