import type { Migration } from '../../../kernel/contract/index.js';

/** Member that belongs to a third-party plugin. */
export const plugins: Migration = {
  name: '0005-plugins',
  async up({ run }) {
    await run('ALTER TABLE members_members ADD COLUMN plugin VARCHAR(64)');
    await run('CREATE UNIQUE INDEX members_members_plugin ON members_members (plugin)');
  },
};
