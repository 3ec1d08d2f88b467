/** Stands for the operation where a request was one too many: it is refused before it comes to one. */
export const over_limit = 'http.limit';

/** Limits of the trail's columns, in characters. */
export const longest = { address: 64, target: 256, username: 64, outcome: 64, via: 64 } as const;
