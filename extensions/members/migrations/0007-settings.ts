import type { Migration } from '../../../kernel/contract/index.js';
import { member } from './columns.js';

/** Members' settings; a member without a row has none. */
export const settings: Migration = {
  name: '0007-settings',
  async up({ run }) {
    await run(`CREATE TABLE members_settings (
      member_id ${member},
      language VARCHAR(64),
      zone VARCHAR(64),
      theme VARCHAR(16),
      PRIMARY KEY (member_id)
    )`);
  },
};
