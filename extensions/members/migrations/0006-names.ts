import type { Migration } from '../../../kernel/contract/index.js';

/** Sort key of members; existing ones get it when the extension starts, because SQL alone can't compute it. */
export const names: Migration = {
  name: '0006-names',
  async up({ dialect, run }) {
    // By code points on both databases: PostgreSQL would sort by a language's rules.
    const collation = dialect === 'postgres' ? ' COLLATE "C"' : '';
    await run(`ALTER TABLE members_members ADD COLUMN name_key VARCHAR(64)${collation}`);
    await run('CREATE INDEX members_members_name ON members_members (name_key, id)');
    if (dialect === 'postgres') await run('CREATE INDEX members_members_key ON members_members (username_key COLLATE "C")');
    await run('CREATE INDEX members_members_of_kind ON members_members (is_virtual, id)');
  },
};
