import { failures } from '../../contract/failure.js';
import { bundleCodes as readingCodes } from '../../contract/installation-codes.js';

/** Failure codes of bundles, and of folders to pack. */
export const bundleCodes = {
  ...readingCodes,
  folder_exists: 409,
  pack_failed: 400,
} as const;

export const fail = failures(bundleCodes);
