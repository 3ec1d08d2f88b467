import { bundleCodes, failures, installationCodes } from '../../kernel/contract/index.js';
import { signatureCodes } from './signatures/codes.js';
import { sourceCodes } from './sources/codes.js';

/** Error codes of this extension with their HTTP statuses. */
export const codes = {
  ...bundleCodes,
  ...installationCodes,
  ...sourceCodes,
  ...signatureCodes,
  extension_not_found: 404,
  version_not_found: 404,
  version_exists: 409,
  version_gone: 410,
  not_owner: 403,
  type_changed: 409,
  too_many_waiting: 409,
  wrong_state: 409,
  content_changed: 409,
  member_not_found: 400,
  source_not_found: 400,
} as const;

export const fail = failures(codes);
