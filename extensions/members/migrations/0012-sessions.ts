import type { Migration } from '../../../kernel/contract/index.js';

/** Kinds of logins and personal tokens, and the address that used a token last. */
export const sessions: Migration = {
  name: '0012-sessions',
  async up({ run }) {
    await run("ALTER TABLE members_logins ADD COLUMN kind VARCHAR(16) NOT NULL DEFAULT 'command_line'");
    await run("ALTER TABLE members_tokens ADD COLUMN kind VARCHAR(16) NOT NULL DEFAULT 'token'");
    await run("ALTER TABLE members_tokens ADD COLUMN address VARCHAR(64) NOT NULL DEFAULT ''");
  },
};
