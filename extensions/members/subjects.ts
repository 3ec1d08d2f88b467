import type { Subject } from '../../kernel/contract/index.js';

export const logins: Subject = {
  name: 'Logins and tokens',
  description: 'Logging in and out, passwords, and tokens for scripts and for requests without headers.',
};
