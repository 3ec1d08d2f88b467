import { hostname } from 'node:os';
import type { Command } from 'commander';
import { failClient } from '../kernel/client/exchange.js';
import { http } from '../kernel/client/http.js';
import { isFailure } from '../kernel/contract/failure.js';
import { ask, askSecret, canAsk, readAll } from './ask.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { print } from './output.js';
import { Profiles, profilesFile } from './profiles.js';
import { remark } from './remark.js';
import { type CommonFlags, configOf, serverAddress, winsOver } from './session.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

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
  assertAnswerable(flags, terminal);
  const url = await addressOf(flags, terminal);
  await assertPlatform({ url, signal });
  const username = flags.username ?? (await askName(terminal));
  const password = await askPassword(flags, terminal);
  const profiles = new Profiles(profilesFile(terminal.env));
  const token = await keepable(await logIn({ url, signal }, { username, password }, profiles));
  const name = flags.profile ?? (terminal.env.PLATFORM_PROFILE || 'default');
  const before = await profiles.find(name);
  await profiles.save(name, { url, username, token });
  if (before) await end({ ...before.profile, signal });
  if (flags.json) print({ url, username, profile: name }, { json: flags.json }, terminal);
  else terminal.stdout.write(`Logged in to ${url} as ${username}.${flags.profile === undefined ? '' : nowUsed(name)}\n`);
  const other = winsOver({ url, name }, terminal);
  if (other !== undefined) remark(`warning: ${other}`, terminal);
}

/** Without a terminal everything has to be on the command line. */
function assertAnswerable({ username, passwordStdin }: LoginFlags, terminal: Terminal): void {
  if (canAsk(terminal)) return;
  if (username === undefined) throw new UsageError('The user name is needed', 'give it with --username <name>');
  if (!passwordStdin) throw new UsageError('The password is needed', 'pipe it in with --password-stdin');
}

/** Nobody types a password for something that isn't there, or is no platform. */
async function assertPlatform(at: Login): Promise<void> {
  const answer = (await callAt(at, 'version.get')) as { api?: unknown; server?: unknown } | null | undefined;
  if (typeof answer?.api !== 'string' || typeof answer.server !== 'string')
    throw failClient('unexpected_answer', `What answers at ${at.url} is no platform`);
}

/** A login under a name is used by the commands that name none, too. */
function nowUsed(name: string): string {
  return ` Commands use '${name}' from now on; --profile names another.`;
}

async function addressOf({ url, profile, ...flags }: LoginFlags, terminal: Terminal): Promise<string> {
  const named = url ?? (terminal.env.PLATFORM_URL || undefined);
  if (named !== undefined) return serverAddress(named);
  const known = profile === undefined ? undefined : await new Profiles(profilesFile(terminal.env)).find(profile);
  if (known) return known.profile.url;
  const config = await configOf(flags, terminal);
  return config.base_url || `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
}

async function askName(terminal: Terminal): Promise<string> {
  return (await ask('User name: ', terminal)).trim();
}

async function askPassword({ passwordStdin }: LoginFlags, terminal: Terminal): Promise<string> {
  if (passwordStdin) return (await readAll(terminal)).replace(/\r?\n$/, '');
  return askSecret('Password: ', terminal);
}

/** Logs in for a moment. Keeps the device token by which the server knows this machine again, whoever else fails to log in. */
export async function logIn(at: Login, credentials: { username: string; password: string }, profiles: Profiles): Promise<Login> {
  const input = { ...credentials, device_token: await profiles.device(at.url) };
  const { access_token, device_token } = (await callAt(at, 'auth.login', input)) as { access_token: string; device_token?: string };
  if (device_token !== undefined) await profiles.saveDevice(at.url, device_token);
  return { ...at, token: access_token };
}

/** A personal token for the tokens of a login, which are over then. */
export async function keepable(login: Login): Promise<string> {
  const { token } = (await callAt(login, 'tokens.create', { name: `platform on ${hostname()}`.slice(0, 64) })) as { token: string };
  await callAt(login, 'auth.logout');
  return token;
}

/** A server, and who one is there. */
interface Login {
  url: string;
  token?: string | undefined;
  signal: AbortSignal;
}

/** One call at an address. */
export async function callAt({ url, token, signal }: Login, id: string, input: object = {}): Promise<unknown> {
  const transport = http({ url, token, agent: 'platform-cli' });
  try {
    return (await transport.call({ ...leafOf(id), input, options: { signal } })).body;
  } finally {
    await transport.close();
  }
}

/** Ends a token, also where the server is gone or has ended it itself; tells whether it was reached. */
async function end(login: Login): Promise<boolean> {
  try {
    await callAt(login, 'auth.logout');
    return true;
  } catch (error) {
    if (isFailure(error) && error.status === 401) return true;
    if (isFailure(error) && error.code === 'unreachable') return false;
    throw error;
  }
}

/** Ends the token and forgets the profile. */
export async function logout(command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags>();
  const profiles = new Profiles(profilesFile(terminal.env));
  const found = await profiles.find(flags.profile ?? (terminal.env.PLATFORM_PROFILE || undefined));
  if (found === undefined) throw new UsageError('You are not logged in', 'log in with: platform login');
  const { url, token, username } = found.profile;
  if (!(await end({ url, token, signal }))) {
    remark(`platform: ${url} can't be reached; the token stays valid until it is revoked there`, terminal);
  }
  await profiles.remove(found.name);
  terminal.stdout.write(`Logged out of ${url} (${username}).\n`);
}

export async function whoami(command: Command, context: Context): Promise<void> {
  const { json } = command.opts<{ json?: boolean | string }>();
  await withSession(command, context, async (session) => {
    const leaf = leafOf('auth.me');
    const { body } = await callIn(session, leaf, { signal: context.signal });
    const answer = { ...(body as object), server: session.name };
    print(answer, { json, columns: ['id', 'username', 'nickname', 'role', 'server'] }, context.terminal);
  });
}
