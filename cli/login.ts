import { hostname } from 'node:os';
import type { Command } from 'commander';
import { http } from '../kernel/client/http.js';
import { isFailure } from '../kernel/contract/failure.js';
import type { OperationData } from '../kernel/contract/manifest.js';
import { ask, askSecret, canAsk, readAll } from './ask.js';
import { builtinCatalog } from './catalog.js';
import { type Context, callIn, withSession } from './command.js';
import { UsageError } from './exit.js';
import { print } from './output.js';
import { Profiles, profilesFile } from './profiles.js';
import { type CommonFlags, configOf } from './session.js';
import type { Terminal } from './terminal.js';

interface LoginFlags extends CommonFlags {
  username?: string;
  passwordStdin?: boolean;
  json?: boolean | string;
}

/**
 * Logs in and keeps a personal token: unlike a login's own tokens it needs no refreshing, which two
 * commands at once would do to each other's harm.
 */
export async function login(command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<LoginFlags>();
  const url = await addressOf(flags, terminal);
  const username = flags.username ?? (await askName(terminal));
  const password = await askPassword(flags, terminal);
  const token = await exchange(url, { username, password }, signal);
  const name = flags.profile ?? (terminal.env.PLATFORM_PROFILE || 'default');
  await new Profiles(profilesFile(terminal.env)).save(name, { url, username, token });
  if (flags.json) print({ url, username, profile: name }, { json: flags.json }, terminal);
  else terminal.stdout.write(`Logged in to ${url} as ${username}.\n`);
}

async function addressOf({ url, profile, ...flags }: LoginFlags, terminal: Terminal): Promise<string> {
  const named = url ?? (terminal.env.PLATFORM_URL || undefined);
  if (named !== undefined) return named.replace(/\/+$/, '');
  const known = profile === undefined ? undefined : await new Profiles(profilesFile(terminal.env)).find(profile);
  if (known) return known.profile.url;
  const config = await configOf(flags, terminal);
  return config.base_url || `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
}

async function askName(terminal: Terminal): Promise<string> {
  if (!canAsk(terminal)) throw new UsageError('The user name is needed', 'give it with --username <name>');
  return (await ask('User name: ', terminal)).trim();
}

async function askPassword({ passwordStdin }: LoginFlags, terminal: Terminal): Promise<string> {
  if (passwordStdin) return (await readAll(terminal)).replace(/\r?\n$/, '');
  if (!canAsk(terminal)) throw new UsageError('The password is needed', 'pipe it in with --password-stdin');
  return askSecret('Password: ', terminal);
}

async function exchange(url: string, credentials: { username: string; password: string }, signal: AbortSignal): Promise<string> {
  const call = async (id: string, input: object, token?: string) => {
    const transport = http({ url, token, agent: 'platform-cli' });
    try {
      return (await transport.call({ id, operation: operationOf(id), input, options: { signal } })).body;
    } finally {
      await transport.close();
    }
  };
  const { access_token } = (await call('auth.login', credentials)) as { access_token: string };
  const { token } = (await call('tokens.create', { name: `platform on ${hostname()}`.slice(0, 64) }, access_token)) as { token: string };
  await call('auth.logout', {}, access_token);
  return token;
}

function operationOf(id: string): OperationData {
  const operation = builtinCatalog().operations[id];
  if (operation === undefined) throw new Error(`The program was built without the operation ${id}`);
  return operation;
}

/** Ends the token and forgets the profile; also where the server is gone or has ended the token itself. */
export async function logout(command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags>();
  const profiles = new Profiles(profilesFile(terminal.env));
  const found = await profiles.find(flags.profile ?? (terminal.env.PLATFORM_PROFILE || undefined));
  if (found === undefined) throw new UsageError('You are not logged in', 'log in with: platform login');
  const { url, token, username } = found.profile;
  const transport = http({ url, token, agent: 'platform-cli' });
  try {
    await transport.call({ id: 'auth.logout', operation: operationOf('auth.logout'), input: {}, options: { signal } });
  } catch (error) {
    if (!isFailure(error) || (error.code !== 'unreachable' && error.status !== 401)) throw error;
    if (error.code === 'unreachable')
      terminal.stderr.write(`platform: ${error.message}; its token stays valid until it is revoked there\n`);
  } finally {
    await transport.close();
  }
  await profiles.remove(found.name);
  terminal.stdout.write(`Logged out of ${url} (${username}).\n`);
}

export async function whoami(command: Command, context: Context): Promise<void> {
  const { json } = command.opts<{ json?: boolean | string }>();
  await withSession(command, context, async (session) => {
    const leaf = { id: 'auth.me', operation: operationOf('auth.me') };
    const { body } = await callIn(session, leaf, { signal: context.signal });
    const answer = { ...(body as object), server: session.name };
    print(answer, { json, columns: ['id', 'username', 'nickname', 'role', 'server'] }, context.terminal);
  });
}
