import { operations } from '@platform/kit';
import type { MembersApi } from '../contract.js';

export const api = operations<MembersApi>();

/** Frames after which lists of members are read again. */
export const on = ['member.*'];
