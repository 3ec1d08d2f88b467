import type { Migration } from '../../../kernel/contract/index.js';

/** Adds the room from which an AI employee created a schedule. */
export const migration: Migration = {
  name: '0003-rooms',
  async up({ run }) {
    await run('ALTER TABLE schedules_schedules ADD COLUMN room_id VARCHAR(36)');
  },
};
