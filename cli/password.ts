import type { Command } from 'commander';
import { askSecret, canAsk, readAll } from './ask.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { callAt, keepable, logIn } from './login.js';
import { Profiles, profilesFile } from './profiles.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

/**
 * Changes one's own password. A remembered login logs in once more for it, since its personal token is not
 * enough, and gets a new token, since the change ends all there are.
 */
export async function changePassword(command: Command, { terminal, signal }: Context): Promise<void> {
  const input = command.opts<{ passwordStdin?: boolean }>().passwordStdin ? await readBoth(terminal) : await askBoth(terminal);
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
    await profiles.renew(profile, await keepable({ url, signal, token: after.access_token }));
  });
  terminal.stdout.write('The password is changed; whoever was logged in with the old one is logged out.\n');
}

interface Both {
  current_password: string;
  new_password: string;
}

async function readBoth(terminal: Terminal): Promise<Both> {
  const [current_password = '', new_password = ''] = (await readAll(terminal)).split(/\r?\n/);
  return { current_password, new_password };
}

async function askBoth(terminal: Terminal): Promise<Both> {
  if (!canAsk(terminal)) throw new UsageError('The passwords are needed', 'pipe them in, a line each, with --password-stdin');
  const current_password = await askSecret('Current password: ', terminal);
  const new_password = await askSecret('New password: ', terminal);
  if (new_password !== (await askSecret('The same once more: ', terminal))) throw new UsageError('The two new passwords differ');
  return { current_password, new_password };
}
