import type { Migration } from '../../../kernel/contract/index.js';

/** E-mail addresses of people. */
export const email: Migration = {
  name: '0013-email',
  async up({ run }) {
    await run('ALTER TABLE members_members ADD COLUMN email VARCHAR(254)');
    await run('ALTER TABLE members_members ADD COLUMN email_key VARCHAR(510)');
    await run('CREATE UNIQUE INDEX members_members_email ON members_members (email_key) WHERE email_key IS NOT NULL');
  },
};
