import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { failClient } from '../kernel/client/client-failure.js';
import { harmless, type Terminal } from './terminal.js';

const client_id = 'platform-cli';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
/** Added to the interval if the server asks for it (RFC 8628, section 3.5). */
const slower_s = 5;
const request_ms = 30_000;

interface DeviceCode {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval: number;
}

interface Server {
  url: string;
  signal: AbortSignal;
}

/** Reply of one of the two addresses: fields of an answer, or of an error. */
interface Reply {
  status: number;
  body: Record<string, unknown>;
}

/** Shows a code, and waits until a member has confirmed it in a browser. Returns the token (RFC 8628). */
export async function deviceToken(server: Server, { stderr }: Terminal): Promise<string> {
  const code = await codeOf(server);
  stderr.write(`Open ${harmless(code.verification_uri)} in a browser, log in, and enter this code: ${harmless(code.user_code)}\n`);
  stderr.write('Waiting for the confirmation; Ctrl-C cancels…\n');
  const end = Date.now() + code.expires_in * 1_000;
  for (let interval = code.interval; Date.now() < end; ) {
    await pause(interval * 1_000, undefined, { signal: server.signal });
    const { status, body } = await post(server, 'token', { grant_type, client_id, device_code: code.device_code });
    if (status === 200 && typeof body.access_token === 'string') return body.access_token;
    if (body.error === 'slow_down') interval += slower_s;
    else if (body.error !== 'authorization_pending') throw refused(body);
  }
  throw failClient('login_refused', 'Nobody confirmed the code in time; start again');
}

async function codeOf(server: Server): Promise<DeviceCode> {
  const { status, body } = await post(server, 'code', { client_id, device_name: `platform on ${hostname()}`.slice(0, 64) });
  const { device_code, user_code, verification_uri, expires_in, interval = 5 } = body;
  const isCode =
    status === 200 &&
    [device_code, user_code, verification_uri].every((field) => typeof field === 'string') &&
    [expires_in, interval].every((field) => typeof field === 'number' && field > 0 && field < 3_600);
  if (isCode) return body as unknown as DeviceCode;
  throw status === 404
    ? failClient('login_refused', `The server at ${server.url} is too old for a login by browser: use --username`)
    : refused(body);
}

function refused({ error, error_description }: Reply['body']): Error {
  const text = typeof error_description === 'string' ? harmless(error_description) : 'The server gave no reason';
  return failClient('login_refused', error === 'access_denied' ? 'The login was refused in the browser' : text);
}

async function post({ url, signal }: Server, path: 'code' | 'token', fields: Record<string, string>): Promise<Reply> {
  let response: Response;
  try {
    response = await fetch(`${url}/api/auth/device/${path}`, {
      method: 'POST',
      headers: { 'user-agent': client_id, accept: 'application/json' },
      body: new URLSearchParams(fields),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(request_ms)]),
    });
  } catch (cause) {
    signal.throwIfAborted();
    throw failClient('unreachable', `Could not reach the server at ${url}`, { cause });
  }
  const body = (await response.json().catch(() => ({}))) as Reply['body'] | null;
  return { status: response.status, body: typeof body === 'object' && body !== null ? body : {} };
}
