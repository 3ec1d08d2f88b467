import { failures } from '../../contract/failure.js';
import { installationCodes } from '../../contract/installation-codes.js';

/** Failures of extensions themselves. */
const hostCodes = {
  ...installationCodes,
  manifest_invalid: 400,
  plugin_without_config: 409,
} as const;

export const fail = failures(hostCodes);
