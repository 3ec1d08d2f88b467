import type { Operations } from '../../kernel/contract/index.js';
import type { MembersApi } from './contract.js';
import * as shape from './shapes.js';
import { logins } from './subjects.js';

type ForgottenApi = Pick<MembersApi, 'auth.methods' | 'auth.forgot_password' | 'auth.reset_password'>;

/** The operations for people who can't log in. */
export const forgottenPasswordOperations = {
  'auth.methods': {
    summary: 'Shows what the log-in view offers.',
    subject: logins,
    method: 'GET',
    path: '/api/auth/methods',
    who: 'public',
    audience: 'caller',
    answer: (j) =>
      j
        .object({ password_reset: j.boolean().required().description('Whether a link can be mailed to somebody who forgot the password') })
        .label('LoginMethods'),
  },
  'auth.forgot_password': {
    summary: 'Mails a link for a new password. The answer is the same whether or not there is such an account with an e-mail address.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/forgot-password',
    who: 'public',
    audience: 'caller',
    input: (j) => j.object({ username: j.string().max(256).required().description('User name, or e-mail address') }),
    answer: (j) => j.object({ requested: j.boolean().valid(true).required() }),
    failures: ['mail_not_set_up', 'rate_limited'],
    // People type their passwords there too.
    secrets: ['username'],
    audited: true,
  },
  'auth.reset_password': {
    summary: 'Sets a new password by the link of a mail, which works once for 30 minutes, and revokes all tokens of the account.',
    subject: logins,
    method: 'POST',
    path: '/api/auth/reset-password',
    who: 'public',
    audience: 'caller',
    input: (j) => j.object({ token: shape.linkToken(j).required(), new_password: shape.password(j).required() }),
    answer: (j) => j.object({ username: j.string().required() }),
    failures: ['reset_not_found', 'rate_limited'],
    secrets: ['token', 'new_password'],
    audited: true,
  },
} satisfies Operations<ForgottenApi>;
