import type { Migration } from '../../../kernel/contract/index.js';

/** Leaves members without a plugin, nearly all, out of the index of plugins: SQLite would read all of them by it instead of a page by name. */
export const pluginIndex: Migration = {
  name: '0010-plugin-index',
  async up({ run }) {
    await run('DROP INDEX members_members_plugin');
    await run('CREATE UNIQUE INDEX members_members_plugin ON members_members (plugin) WHERE plugin IS NOT NULL');
  },
};
