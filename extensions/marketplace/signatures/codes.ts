import { failures } from '../../../kernel/contract/index.js';

/** What can be wrong with signatures and the keys behind them. */
export const signatureCodes = {
  signature_invalid: 400,
  /** Only versions signed by a trusted key may be approved and installed here. */
  signature_untrusted: 409,
  key_invalid: 400,
  key_trusted: 409,
  key_not_found: 404,
  too_many_keys: 409,
} as const;

export const fail = failures(signatureCodes);
