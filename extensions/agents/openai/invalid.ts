import { type Failure, fail } from '../../../kernel/contract/index.js';

/** Returns the failure `invalid_input` for a field of a request; an empty path stands for the body itself. */
export function invalid(path: string, message: string): Failure {
  return fail('invalid_input', path === '' ? message : `${path}: ${message}`, { details: [{ path, message }] });
}
