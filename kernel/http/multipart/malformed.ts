import { type Failure, fail } from '../../contract/failure.js';

/** The failure of a body that is not the multipart/form-data that it says it is. */
export function malformed(what: string): Failure {
  return fail('malformed_request', `The body is not what its headers say: ${what}`);
}
