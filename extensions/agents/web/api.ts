import { operations } from '@platform/kit';
import type { SystemApi } from '../../../kernel/contract/system.js';
import type { MembersApi } from '../../members/contract.js';
import type { AgentsApi } from '../contract.js';

/** The part of the marketplace's answer that the choice of skills needs. */
interface InstalledPage {
  items: { id: string; name: string; type: 'plugin' | 'skill' }[];
}

export const api = operations<
  AgentsApi &
    Pick<SystemApi, 'config.get'> &
    Pick<MembersApi, 'members.create_virtual' | 'members.update' | 'members.delete' | 'members.get'> & {
      'marketplace.installed': { input: object; answer: InstalledPage };
      'nodes.list': { input: { limit: number; offset: number }; answer: { items: { id: number; name: string }[] } };
    }
>();

/** Frames after which AI employees are read again. */
export const on = ['member.*', 'agents.*', 'node.*', 'task.updated'];
