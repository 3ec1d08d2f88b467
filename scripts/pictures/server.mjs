import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const program = resolve(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

/** The address that pictures show; browsers find the server below it. */
export const host = 'platform.example.org';
export const password = 'a long enough password';

/** Starts the platform in a temporary folder. The first administrator is `mary`. */
export async function startServer(environment = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'platform-pictures-'));
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    PLATFORM_DATA_DIR: join(folder, 'data'),
    PLATFORM_PORT: '0',
    PLATFORM_INSTANCE_NAME: 'main',
    PLATFORM_ADMIN_USERNAME: 'mary',
    PLATFORM_ADMIN_PASSWORD: password,
    PLATFORM_PLUGINS_TRUSTED: 'acme.webhooks',
    ...environment,
  };
  const options = { env, cwd: folder };
  const child = spawn(process.execPath, [program, 'serve'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await addressOf(child);
  const run = async (args) => {
    const command = spawn(process.execPath, [program, ...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    let written = '';
    command.stdout.on('data', (piece) => {
      written += piece;
    });
    const [code] = await once(command, 'close');
    if (code !== 0) throw new Error(`platform ${args.join(' ')} ended with ${code}: ${written}`);
    return written;
  };
  const close = async () => {
    child.kill('SIGTERM');
    await once(child, 'close');
    await rm(folder, { recursive: true, force: true });
  };
  return { url, folder, run, close };
}

async function addressOf(child) {
  let written = '';
  for await (const piece of child.stdout) {
    written += piece;
    const found = /listening on (\S+)\n/.exec(written);
    if (found) {
      child.stdout.resume();
      return found[1];
    }
  }
  throw new Error(`The server has not started: ${written}`);
}

/** Returns a function that calls the API as a member, who logs in first. */
export async function logIn(url, username) {
  const send = async (method, path, body, headers = {}) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${username}: ${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const { access_token } = await send('POST', '/api/auth/login', { username, password });
  return (method, path, body) => send(method, path, body, { authorization: `Bearer ${access_token}` });
}
