import type { Migration } from '../../../kernel/contract/index.js';

/** Title of the room in which an approval is asked for. */
export const approvalRooms: Migration = {
  name: '0007-approval-rooms',
  async up({ run }) {
    await run('ALTER TABLE agents_approvals ADD COLUMN room_title VARCHAR(200)');
  },
};
