import type { Migration } from '../../../kernel/contract/index.js';
import { time } from './columns.js';

/** Logins of programs that a person confirms in a browser. */
export const deviceCodes: Migration = {
  name: '0016-device-codes',
  async up({ run }) {
    await run(`CREATE TABLE members_device_codes (
      device_hash VARCHAR(64) PRIMARY KEY,
      user_hash VARCHAR(64) NOT NULL UNIQUE,
      name VARCHAR(64) NOT NULL,
      address VARCHAR(64) NOT NULL,
      network VARCHAR(64) NOT NULL,
      state VARCHAR(16) NOT NULL,
      member_id INTEGER REFERENCES members_members (id) ON DELETE CASCADE,
      version INTEGER,
      interval_s INTEGER NOT NULL,
      polled_at ${time},
      created_at ${time} NOT NULL,
      expires_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_device_codes_network ON members_device_codes (network, expires_at)');
    await run('CREATE INDEX members_device_codes_member ON members_device_codes (member_id)');
    await run('CREATE INDEX members_device_codes_expiry ON members_device_codes (expires_at)');
  },
};
