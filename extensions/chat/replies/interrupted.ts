import type { Fault } from '../contract.js';

/** Why a reply failed whose process ended before it did. */
export const interrupted: Fault = { code: 'interrupted', message: 'The process that wrote this reply ended before the reply did' };
