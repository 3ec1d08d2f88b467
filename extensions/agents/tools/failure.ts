import type { Failure } from '../../../kernel/contract/index.js';

/** Failures of what the platform stands on: their sentences name files and servers, which are nobody's business outside. */
const inner = /^(database|bus|blob)_/;

/** What a failure says to a model, or to whoever asks through another protocol. */
export function sentenceOf({ code, message }: Failure): string {
  return inner.test(code) ? 'The platform has a fault just now; try again in a moment' : message;
}
