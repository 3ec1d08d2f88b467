import { operations } from '@platform/kit';
import type { SystemApi } from '../../../kernel/contract/system.js';
import type { MembersApi } from '../../members/contract.js';
import type { SchedulesApi } from '../contract.js';

export const api = operations<SchedulesApi & Pick<SystemApi, 'catalog.get'> & Pick<MembersApi, 'members.list_virtual'>>();

/** Frames after which schedules are read again. */
export const on = ['schedule.*'];
