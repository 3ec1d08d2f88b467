import { operations } from '@platform/kit';
import type { NodesApi } from '../contract.js';

export const api = operations<NodesApi>();

/** Frames after which nodes are read again. */
export const on = ['node.*'];
