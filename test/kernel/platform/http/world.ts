import Joi from 'joi';
import type { DoorHandler, ProtocolDoor } from '../../../../kernel/contract/door.js';
import type { Authenticator, Clock, Log, Outcome } from '../../../../kernel/contract/extension.js';
import { fail } from '../../../../kernel/contract/failure.js';
import type { Call, Caller, Operation } from '../../../../kernel/contract/operation.js';
import type { ActiveDoor, ActiveOperation, Catalog, Target } from '../../../../kernel/core/catalog/catalog.js';
import type { Cell } from '../../../../kernel/core/catalog/cell.js';
import { describeOperation } from '../../../../kernel/core/host/describe-operation.js';
import { authorise } from '../../../../kernel/core/invoke/authorise.js';
import type { DoorOptions } from '../../../../kernel/core/invoke/invoke.js';
import { noCookies } from '../../../../kernel/core/invoke/no-cookies.js';
import { assertSafeValue } from '../../../../kernel/core/invoke/safe-value.js';
import { createHttp, type Http, type HttpConfig, type HttpOptions } from '../../../../kernel/platform/http/http.js';

/** An operation and what it does, as a test writes it. */
export interface Deed extends Operation {
  does: (
    input: never,
    call: Pick<Call, 'caller' | 'request_id' | 'signal' | 'status' | 'idempotency_key' | 'agent' | 'progress' | 'cookies'>,
  ) => unknown;
}

/** A door and what answers behind it. */
export interface TestDoor extends ProtocolDoor {
  handle: DoorHandler;
}

export interface LogLine {
  level: string;
  message: string;
  fields: object | undefined;
}

export interface World {
  http: Http;
  url: string;
  port: number;
  lines: LogLine[];
  /** Calls under way. */
  active: () => number;
  /** Makes a cell of these operations and serves it under its claims, in place of the extension's last one. */
  serve: (extension: string, claims: readonly string[], deeds: Record<string, Deed>, doors?: readonly TestDoor[]) => Promise<void>;
  /** Serves 503 under the claims of the extension. */
  disable: (extension: string, reason: string) => void;
  remove: (extension: string) => void;
}

const clock: Clock = { now: () => Date.now(), iso: () => new Date().toISOString() };

/** Tokens `member`, `admin`; a ticket `ticket`; `short` expires after 300 ms. */
const authenticator: Authenticator = {
  token: (token, door, address) => {
    if (token === 'member') return { ...person, door, address };
    if (token === 'admin') return { ...person, member_id: 1, username: 'ada', role: 'admin', token_id: 't1', door, address };
    if (token === 'short') return { ...person, token_id: 'short', expires_at: Date.now() + 300, door, address };
    throw fail('invalid_token', 'The token is not valid');
  },
  ticket: async (ticket, door, address) => {
    if (ticket === 'ticket') return { ...person, token_id: 'ticket', door, address };
    throw fail('invalid_token', 'The ticket is not valid');
  },
  local: async (door) => ({ ...person, member_id: 1, username: 'ada', role: 'admin', token_id: '', door, address: '' }),
  ended: async () => [],
};

const person: Caller = {
  member_id: 7,
  username: 'mia',
  role: 'member',
  scopes: 'all',
  door: 'http',
  address: '',
  token_id: 't7',
  expires_at: 0,
};

/** The HTTP door with operations made by hand: no host, no database. */
export async function startWorld(overrides: { config?: Partial<HttpConfig> } & Partial<Omit<HttpOptions, 'config'>> = {}): Promise<World> {
  const lines: LogLine[] = [];
  const counts = { active: 0 };
  const http = createHttp({
    invoke,
    authenticator: () => authenticator,
    checks: async () => ({ ok: true, checks: [{ code: 'database', ok: true, message: 'It answers' }] }),
    metrics: async () => '',
    inRequest: (_context, work) => work(),
    log: recorder(lines),
    clock,
    version: '1.2.3',
    instance: 'here',
    ...overrides,
    config: { host: '127.0.0.1', port: 0, trusted_proxies: [], cors_origins: [], ...overrides.config },
  });
  const served = new Map<string, { claims: readonly string[]; target: Target<Cell>; operations: readonly ActiveOperation[] }>();
  const publish = () => http.publish(catalogOf(served));
  const { url, port } = await http.listen();
  return {
    http,
    url,
    port,
    lines,
    active: () => counts.active,
    async serve(extension, claims, deeds, doors = []) {
      const operations = Object.entries(deeds).map(([id, deed]) => activate(extension, id, deed, counts));
      const cell = await http.buildCell({
        extension,
        version: '1.0.0',
        operations,
        doors: doors.map((door) => activeDoor(extension, door, counts)),
      });
      served.set(extension, { claims, target: { kind: 'cell', extension, cell }, operations });
      publish();
    },
    disable(extension, reason) {
      const { claims } = served.get(extension)!;
      served.set(extension, { claims, target: { kind: 'unavailable', extension, reason }, operations: [] });
      publish();
    },
    remove(extension) {
      served.delete(extension);
      publish();
    },
  };
}

function catalogOf(
  served: Map<string, { claims: readonly string[]; target: Target<Cell>; operations: readonly ActiveOperation[] }>,
): Catalog<Cell> {
  const claims = [...served.values()].flatMap(({ claims, target }) => claims.map((claim) => [claim, target] as const));
  const operations = [...served.values()].flatMap(({ operations }) => operations.map((operation) => [operation.id, operation] as const));
  return { generation: 1, claims: new Map(claims), operations: new Map(operations), extensions: new Map() };
}

function activeDoor(extension: string, { handle, ...door }: TestDoor, counts: { active: number }): ActiveDoor {
  return { extension, door, handle, activation: activation(extension, counts) };
}

function activation(extension: string, counts: { active: number }): ActiveDoor['activation'] {
  return { extension, version: '1.0.0', enter: () => void counts.active++, leave: () => void counts.active-- };
}

/** Makes an operation that is not served yet. */
export function activate(extension: string, id: string, deed: Deed, counts = { active: 0 }): ActiveOperation {
  const { does, ...operation } = deed;
  return {
    id,
    extension,
    operation,
    input: deed.input?.(Joi) ?? Joi.object({}),
    answer: deed.answer?.(Joi),
    data: () => describeOperation(operation),
    codes: { too_hot: 409 },
    handler: does as ActiveOperation['handler'],
    activation: activation(extension, counts),
  };
}

/** Authorises, validates and runs, as the kernel's invoke does. */
async function invoke(active: ActiveOperation, input: unknown, caller: Caller, { valid, ...options }: DoorOptions): Promise<Outcome> {
  authorise(active.operation, caller);
  assertSafeValue(input);
  const read = () => active.input.validate(input, { abortEarly: false, stripUnknown: true, convert: true });
  const { value, error } = valid ? { value: valid } : read();
  if (error) {
    const details = error.details.map((fault) => ({ path: fault.path.join('.'), message: fault.message }));
    throw fail('invalid_input', 'The input is not valid', { details });
  }
  let status: number = active.operation.status ?? (active.operation.answer || active.operation.kind === 'stream' ? 200 : 204);
  const call: Call = {
    caller,
    request_id: options.request_id ?? '',
    signal: options.signal ?? new AbortController().signal,
    agent: options.agent ?? '',
    idempotency_key: options.idempotency_key,
    progress: options.progress,
    cookies: options.cookies ?? noCookies,
    status: (code) => {
      status = code;
    },
  };
  active.activation.enter();
  try {
    const body = await active.handler(value, call);
    return { status, body };
  } finally {
    active.activation.leave();
  }
}

function recorder(lines: LogLine[]): Log {
  const at = (level: string) => (message: string, fields?: object) => void lines.push({ level, message, fields });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
