import type { Migration } from '../../../kernel/contract/index.js';

/** What members are sorted by; those of before get it when the extension starts, since SQL alone can't make it. */
export const names: Migration = {
  name: '0006-names',
  async up({ dialect, run }) {
    // By code points on both databases: PostgreSQL would sort by the rules of some language.
    const collation = dialect === 'postgres' ? ' COLLATE "C"' : '';
    await run(`ALTER TABLE members_members ADD COLUMN name_key VARCHAR(64)${collation}`);
    await run('CREATE INDEX members_members_name ON members_members (name_key, id)');
    if (dialect === 'postgres') await run('CREATE INDEX members_members_key ON members_members (username_key COLLATE "C")');
    await run('CREATE INDEX members_members_of_kind ON members_members (is_virtual, id)');
  },
};
