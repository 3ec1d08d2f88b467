import { adminPassword } from '../../../helpers/platform.js';
import type { Rows } from '../row.js';

/** Commands about the platform as a whole. */
export const programRows: Rows = {
  version: { ways: 'none', says: /^platform \d+\.\d+\.\d+\n$/ },
  serve: { elsewhere: 'cli/serve.long.test.ts', says: /^/ },
  // Without a server it has another exit code, which cli/operating.long.test.ts shows.
  status: { ways: ['http', 'local'], says: /^state\t/, code: 1, shown: /^state: .*\n/, differs: [/\d[\d.]*/g] },
  backup: {
    says: /^.\/platform\.tar\t/,
    tells: /^The archive does not contain the key for its secrets: /,
    shown: /\.\/platform\.tar\n/,
    differs: [/\d{8}T\d{9}Z-[0-9a-f]{8}/g, /[0-9a-f]{64}/g, /\b\d{3,}\b/g],
  },
  'import mattermost': { elsewhere: 'cli/import/mattermost.test.ts', says: /^/ },
  'import slack': { elsewhere: 'cli/import/slack.test.ts', says: /^/ },
  'import open-webui': { elsewhere: 'cli/import/open-webui.test.ts', says: /^/ },
  migrate: { elsewhere: 'cli/migrate.long.test.ts', says: /^/ },
  completion: { ways: 'none', says: /complete .*platform/ },
  tui: { typed: [{ at: /members/i, type: 'q' }], says: /members/i, shown: /members/i, differs: [/[\s\S]*/] },
  // Events from elsewhere may arrive in between.
  tail: {
    says: /^/,
    tells: /^following from \S+\n[\s\S]*continue with: platform tail --after /,
    shown: /^/,
    differs: [/[\s\S]*/],
  },
  whoami: { says: /^\{\n {2}"username": "admin",\n {2}"role": "admin"\n\}\n$/ },
  call: { says: /"username": "ada"/, shown: /^ID +USERNAME[\s\S]*\n3 +ada +Ada / },
  config: {
    ways: ['http', 'local'],
    says: /"key": "port"/,
    tells: /^Settings of the server at /,
    shown: /"key": "port"/,
    differs: [/"key": "port",\s+"value": \d+/],
  },
  // Its findings depend on the machine and the door; a missing engine is red.
  doctor: { code: 1, says: /^ok\tcli\tnode_version\t/, shown: /^ok +cli\.node_version: /, differs: [/[\s\S]*/] },
  restore: {
    ways: 'none',
    given: { './20261120T023000Z.tar': 'backup' },
    says: /^Restored the backup of /,
    tells: /^Put the secret\.key /,
    absent: 'none',
  },
};

/** Commands that end the logins here, so they run last. */
export const loginRows: Rows = {
  login: {
    ways: ['http'],
    typed: [{ at: /Password: /, type: `${adminPassword}\r` }],
    piped: { args: ['--password-stdin'], input: adminPassword },
    says: /^Logged in to \S+ as admin\.\n$/,
    // This place has a token in its environment.
    tells: /^warning: PLATFORM_TOKEN is set: /,
  },
  logout: { ways: ['http'], says: /^Logged out of \S+ \(admin\)\.\n$/ },
  password: {
    typed: [
      { at: /Current password: /, type: `${adminPassword}\r` },
      { at: /New password: /, type: 'another good one\r' },
      { at: /Repeat new password: /, type: 'another good one\r' },
    ],
    piped: { args: ['--password-stdin'], input: `${adminPassword}\nanother good one\n` },
    says: /^Password changed; /,
  },
};
