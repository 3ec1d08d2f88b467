import type { Context, DoorHandler, Failure, ProtocolDoor } from '../../kernel/contract/index.js';
import type { Members } from './contract.js';
import { DeviceError } from './device-error.js';
import type { DeviceLogins } from './device-logins.js';
import { deviceName } from './device-name.js';
import { logins } from './subjects.js';

const client_id = 'platform-cli';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
const path = '/api/auth/device';
const max_name = 64;
const max_bytes = 4_096;

/** Writes a failure of the platform in the standard's form. */
function refuse({ status, message, retry_after }: Failure): Response {
  const error =
    status === 429 ? 'slow_down' : status === 503 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request';
  const headers = retry_after === undefined ? {} : { 'retry-after': String(retry_after) };
  return Response.json({ error, error_description: message }, { status, headers });
}

const codeDoor: ProtocolDoor = {
  id: 'auth.device_code',
  subject: logins,
  path: `${path}/code`,
  methods: ['POST'],
  summary: 'Starts the login of a program on a machine without a browser: OAuth device authorization (RFC 8628), in a form or in JSON.',
  who: 'public',
  max_bytes,
  example: () => ({
    body: { client_id, device_name: 'platform on laptop' },
    answer: {
      device_code: 'Zr5cVq0d4k1mYb8sXw3nTf6hLp9aJe2uGi7oRy4QxEw',
      user_code: 'WDJB-MJHT',
      verification_uri: 'https://work.example/device',
      verification_uri_complete: 'https://work.example/device?user_code=WDJB-MJHT',
      expires_in: 600,
      interval: 5,
    },
  }),
  refuse,
};

const tokenDoor: ProtocolDoor = {
  id: 'auth.device_token',
  subject: logins,
  path: `${path}/token`,
  methods: ['POST'],
  summary: 'Gives the program its personal token once a member has confirmed the code (RFC 8628, section 3.4).',
  who: 'public',
  max_bytes,
  example: () => ({
    body: { grant_type, client_id, device_code: 'Zr5cVq0d4k1mYb8sXw3nTf6hLp9aJe2uGi7oRy4QxEw' },
    answer: { access_token: 'plat_example', token_type: 'Bearer', scope: 'read chat admin' },
  }),
  refuse,
};

/** Opens the two addresses by which programs log in. `address`: the platform's own; empty if it is not known. */
export function openDeviceDoors(ctx: Pick<Context<Members>, 'door'>, devices: DeviceLogins, address: string): void {
  ctx.door(
    codeDoor,
    answering(async (fields, request, call) => {
      const name = nameOf(fields.device_name, call.agent);
      const codes = await devices.start(name, call.caller);
      // The answer goes to who named the host, and to nobody else.
      const verification_uri = `${address || new URL(request.url).origin}/device`;
      const verification_uri_complete = `${verification_uri}?user_code=${codes.user_code}`;
      return { ...codes, verification_uri, verification_uri_complete };
    }),
  );
  ctx.door(
    tokenDoor,
    answering(async (fields) => {
      if (fields.grant_type !== grant_type) throw new DeviceError(fields.grant_type ? 'unsupported_grant_type' : 'invalid_request');
      if (!fields.device_code) throw new DeviceError('invalid_request');
      return { access_token: await devices.poll(fields.device_code), token_type: 'Bearer', scope: 'read chat admin' };
    }),
  );
}

type Fields = Readonly<Record<string, string | undefined>>;
type Answering = (fields: Fields, ...rest: Parameters<DoorHandler>) => Promise<object>;

/** Reads the fields of a request of the one client, and answers in the standard's form. */
function answering(answer: Answering): DoorHandler {
  return async (request, call) => {
    try {
      const fields = await fieldsOf(request);
      if (fields.client_id === undefined) throw new DeviceError('invalid_request');
      if (fields.client_id !== client_id) throw new DeviceError('invalid_client');
      return Response.json(await answer(fields, request, call));
    } catch (thrown) {
      if (thrown instanceof DeviceError) return thrown.toResponse();
      throw thrown;
    }
  };
}

/** Reads a form or JSON. A repeated parameter is an error (RFC 6749, section 3.2). */
async function fieldsOf(request: Request): Promise<Fields> {
  const text = await request.text();
  if (/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) return jsonFields(text);
  const entries = [...new URLSearchParams(text)];
  if (new Set(entries.map(([key]) => key)).size < entries.length) throw new DeviceError('invalid_request');
  return Object.fromEntries(entries);
}

function jsonFields(text: string): Fields {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new DeviceError('invalid_request');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new DeviceError('invalid_request');
  const entries = Object.entries(body);
  if (entries.some(([, value]) => typeof value !== 'string')) throw new DeviceError('invalid_request');
  return Object.fromEntries(entries) as Fields;
}

/** Returns a visible name of the machine: a person decides by it. */
function nameOf(given: string | undefined, agent: string): string {
  const text = (given ?? '') === '' ? deviceName(agent) : (given ?? '');
  const plain = text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '').trim();
  return Array.from(plain).slice(0, max_name).join('').slice(0, max_name).trim() || 'A program';
}
