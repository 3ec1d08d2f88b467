import { failures } from '../../contract/failure.js';
import { installationCodes } from '../../contract/installation-codes.js';

/** Failure codes of loading and installing extensions. */
const hostCodes = {
  ...installationCodes,
  manifest_invalid: 400,
  plugin_without_config: 409,
} as const;

export const fail = failures(hostCodes);
