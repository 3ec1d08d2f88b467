import { failures } from '../../../kernel/contract/index.js';

/** Error codes of signatures and keys, with their HTTP statuses. */
export const signatureCodes = {
  signature_invalid: 400,
  /** Raised if only versions signed by a trusted key may be approved and installed here. */
  signature_untrusted: 409,
  key_invalid: 400,
  key_trusted: 409,
  key_not_found: 404,
  too_many_keys: 409,
} as const;

export const fail = failures(signatureCodes);
