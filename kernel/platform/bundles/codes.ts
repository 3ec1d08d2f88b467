import { failures } from '../../contract/failure.js';
import { bundleCodes as readingCodes } from '../../contract/installation-codes.js';

/** What can be wrong with a bundle, and with the folder that one is made of. */
export const bundleCodes = {
  ...readingCodes,
  folder_exists: 409,
  pack_failed: 400,
} as const;

export const fail = failures(bundleCodes);
