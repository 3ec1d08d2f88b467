import { hostname } from 'node:os';
import type { Command } from 'commander';
import { failClient } from '../kernel/client/client-failure.js';
import { http } from '../kernel/client/http.js';
import { isFailure } from '../kernel/contract/failure.js';
import { ask, askSecret, canAsk, readAll } from './ask.js';
import { leafOf } from './catalog.js';
import type { Context } from './command.js';
import { deviceToken } from './device-login.js';
import { UsageError } from './exit.js';
import { assertFields, print } from './output.js';
import { Profiles, profilesFile } from './profiles.js';
import { remark } from './remark.js';
import { type CommonFlags, configOf, overridingSetting, serverAddress } from './session.js';
import type { Terminal } from './terminal.js';
import { callIn, withSession } from './within-session.js';

interface LoginFlags extends CommonFlags {
  username?: string;
  passwordStdin?: boolean;
  device?: boolean;
  json?: boolean | string;
}

/**
 * Logs in and stores a personal token: unlike a login's own tokens it needs no refresh, which each command would have
 * to store for the next.
 */
export async function login(command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<LoginFlags>();
  assertFields(flags.json, ['url', 'username', 'profile']);
  assertAnswerable(flags, terminal);
  const url = await addressOf(flags, terminal);
  await assertPlatform({ url, signal });
  const profiles = new Profiles(profilesFile(terminal.env));
  const { username, token } = isByDevice(flags)
    ? await byDevice({ url, signal }, terminal)
    : await byPassword({ url, signal }, { flags, terminal, profiles });
  const name = flags.profile ?? (terminal.env.PLATFORM_PROFILE || 'default');
  const before = await profiles.find(name);
  await profiles.save(name, { url, username, token });
  if (before) await revoke({ ...before.profile, signal });
  if (flags.json) print({ url, username, profile: name }, { json: flags.json }, terminal);
  else terminal.stdout.write(`Logged in to ${url} as ${username}.${flags.profile === undefined ? '' : defaultProfileText(name)}\n`);
  const other = overridingSetting({ url, name }, terminal);
  if (other !== undefined) remark(`warning: ${other}`, terminal);
}

/** Returns whether a member confirms the login in a browser. */
function isByDevice({ device, username, passwordStdin }: LoginFlags): boolean {
  return device === true || (username === undefined && !passwordStdin);
}

/** Logs in by a code that a member confirms in a browser. */
async function byDevice(at: Login, terminal: Terminal): Promise<{ username: string; token: string }> {
  const token = await deviceToken(at, terminal);
  const { username } = (await callAt({ ...at, token }, 'auth.me')) as { username: string };
  return { username, token };
}

interface PasswordLogin {
  flags: LoginFlags;
  terminal: Terminal;
  profiles: Profiles;
}

async function byPassword(at: Login, { flags, terminal, profiles }: PasswordLogin): Promise<{ username: string; token: string }> {
  const username = flags.username ?? (await askName(terminal));
  const password = await askPassword(flags, terminal);
  return { username, token: await personalToken(await logIn(at, { username, password }, profiles)) };
}

/** Fails if something is missing on the command line and nobody can be asked. */
function assertAnswerable({ username, passwordStdin, device }: LoginFlags, terminal: Terminal): void {
  if (device && (username !== undefined || passwordStdin))
    throw new UsageError('--device takes neither a user name nor a password', 'the browser asks for them');
  if (device || canAsk(terminal)) return;
  if (username === undefined && !passwordStdin)
    throw new UsageError(
      'Nobody can be asked here',
      'add --device to confirm the login in a browser, or --username <name> --password-stdin',
    );
  if (username === undefined) throw new UsageError('The user name is missing', 'pass it with --username <name>');
  if (!passwordStdin) throw new UsageError('The password is missing', 'pipe it in with --password-stdin');
}

/** Fails before a password is asked for if the address is unreachable or is not a platform. */
async function assertPlatform(at: Login): Promise<void> {
  const answer = (await callAt(at, 'version.get')) as { api?: unknown; server?: unknown } | null | undefined;
  if (typeof answer?.api !== 'string' || typeof answer.server !== 'string')
    throw failClient('unexpected_answer', `The server at ${at.url} is not a platform`);
}

/** Says that a login with a profile name becomes the default for later commands. */
function defaultProfileText(name: string): string {
  return ` Commands use the profile '${name}' from now on; choose another with --profile.`;
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

/** Logs in with short-lived tokens. Stores the device token, so that failed logins of others don't lock this machine out. */
export async function logIn(at: Login, credentials: { username: string; password: string }, profiles: Profiles): Promise<Login> {
  const input = { ...credentials, device_token: await profiles.device(at.url) };
  const { access_token, device_token } = (await callAt(at, 'auth.login', input)) as { access_token: string; device_token?: string };
  if (device_token !== undefined) await profiles.saveDevice(at.url, device_token);
  return { ...at, token: access_token };
}

/** Creates a personal token, and ends the login. */
export async function personalToken(login: Login): Promise<string> {
  const { token } = (await callAt(login, 'tokens.create', { name: `platform on ${hostname()}`.slice(0, 64) })) as { token: string };
  await callAt(login, 'auth.logout');
  return token;
}

/** A server and the token for it. */
interface Login {
  url: string;
  token?: string | undefined;
  signal: AbortSignal;
}

/** Calls one operation at an address. */
export async function callAt({ url, token, signal }: Login, id: string, input: object = {}): Promise<unknown> {
  const transport = http({ url, token, agent: 'platform-cli' });
  try {
    return (await transport.call({ ...leafOf(id), input, options: { signal } })).body;
  } finally {
    await transport.close();
  }
}

/** Revokes a token; returns whether the server was reached. A token that is already invalid counts as revoked. */
async function revoke(login: Login): Promise<boolean> {
  try {
    await callAt(login, 'auth.logout');
    return true;
  } catch (error) {
    if (isFailure(error) && error.status === 401) return true;
    if (isFailure(error) && error.code === 'unreachable') return false;
    throw error;
  }
}

/** Revokes the token and deletes the profile. */
export async function logout(command: Command, { terminal, signal }: Context): Promise<void> {
  const flags = command.optsWithGlobals<CommonFlags>();
  const profiles = new Profiles(profilesFile(terminal.env));
  const found = await profiles.find(flags.profile ?? (terminal.env.PLATFORM_PROFILE || undefined));
  if (found === undefined) throw new UsageError('You are not logged in', 'log in with: platform login');
  const { url, token, username } = found.profile;
  if (!(await revoke({ url, token, signal }))) {
    remark(`platform: ${url} is unreachable; the token stays valid until it is revoked there`, terminal);
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
