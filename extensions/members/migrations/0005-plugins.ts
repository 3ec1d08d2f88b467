import type { Migration } from '../../../kernel/contract/index.js';

/** Which member a plugin of a third party has of its own. */
export const plugins: Migration = {
  name: '0005-plugins',
  async up({ run }) {
    await run('ALTER TABLE members_members ADD COLUMN plugin VARCHAR(64)');
    await run('CREATE UNIQUE INDEX members_members_plugin ON members_members (plugin)');
  },
};
