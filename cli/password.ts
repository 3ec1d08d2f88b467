import type { Command } from 'commander';
import { askSecret, canAsk, readAll } from './ask.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { callAt, logIn, personalToken } from './login.js';
import { Profiles, profilesFile } from './profiles.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

/**
 * Changes the caller's password. A stored login logs in again, because its personal token is not enough,
 * and gets a new token, because the change revokes all tokens.
 */
export async function changePassword(command: Command, { terminal, signal }: Context): Promise<void> {
  const input = command.opts<{ passwordStdin?: boolean }>().passwordStdin ? await readPasswords(terminal) : await askPasswords(terminal);
  await withSession(command, { terminal, signal }, async (session) => {
    const { profile, name: url } = session;
    if (profile === undefined) {
      await callIn(session, leafOf('auth.password'), { input, signal });
      return;
    }
    const profiles = new Profiles(profilesFile(terminal.env));
    const { username } = await profiles.require(profile);
    const before = await logIn({ url, signal }, { username, password: input.current_password }, profiles);
    const after = (await callAt(before, 'auth.password', input)) as { access_token: string };
    await profiles.renew(profile, await personalToken({ url, signal, token: after.access_token }));
  });
  terminal.stdout.write('Password changed; all other sessions are logged out.\n');
}

interface Passwords {
  current_password: string;
  new_password: string;
}

async function readPasswords(terminal: Terminal): Promise<Passwords> {
  const [current_password = '', new_password = ''] = (await readAll(terminal)).split(/\r?\n/);
  return { current_password, new_password };
}

async function askPasswords(terminal: Terminal): Promise<Passwords> {
  if (!canAsk(terminal)) throw new UsageError('The passwords are missing', 'pipe them in, one a line, with --password-stdin');
  const current_password = await askSecret('Current password: ', terminal);
  const new_password = await askSecret('New password: ', terminal);
  if (new_password !== (await askSecret('Repeat new password: ', terminal))) throw new UsageError('The two new passwords differ');
  return { current_password, new_password };
}
