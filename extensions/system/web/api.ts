import { operations } from '@platform/kit';
import type { SystemApi } from '../../../kernel/contract/system.js';

export const api = operations<SystemApi>();
