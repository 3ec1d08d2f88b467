import type { Migration } from '../../../kernel/contract/index.js';
import { member, time } from './columns.js';

/** Addresses of logins, and networks and devices of failed ones. */
export const places: Migration = {
  name: '0008-places',
  async up({ run }) {
    await run(`CREATE TABLE members_places (
      member_id ${member},
      address VARCHAR(64) NOT NULL,
      used_at ${time} NOT NULL,
      PRIMARY KEY (member_id, address)
    )`);
    await run('CREATE INDEX members_places_time ON members_places (used_at)');
    await run(`INSERT INTO members_places (member_id, address, used_at)
      SELECT member_id, address, MAX(created_at) FROM members_logins WHERE address <> '' GROUP BY member_id, address`);
    await run("ALTER TABLE members_failures ADD COLUMN network VARCHAR(64) NOT NULL DEFAULT ''");
    await run("ALTER TABLE members_failures ADD COLUMN device VARCHAR(64) NOT NULL DEFAULT ''");
    await run('CREATE INDEX members_failures_network ON members_failures (network, failed_at)');
  },
};
