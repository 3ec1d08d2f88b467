import type { Authenticator } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Caller } from '../../contract/operation.js';
import { needsToken } from '../../core/invoke/authorise.js';
import type { Incoming } from './incoming.js';

/** Returns what is registered in the slot `authenticator` now. */
export type FindAuthenticator = () => Authenticator | undefined;

/** The query of a stream, where clients such as `EventSource` can't send a header. */
export interface Credentials {
  ticket?: unknown;
  token?: unknown;
}

/** Who calls, by the header alone. */
export function authenticate(req: Incoming, find: FindAuthenticator): Caller | Promise<Caller> {
  return identify(req, undefined, find);
}

/** Who calls a stream: by the header, else `?ticket=`, else `?token=`. */
export function authenticateStream(req: Incoming, query: Credentials, find: FindAuthenticator): Caller | Promise<Caller> {
  return identify(req, query, find);
}

/** The caller of public operations. */
export function anonymous(req: Incoming): Caller {
  const { door, address } = req;
  return { member_id: 0, username: '', role: 'member', scopes: [], door, address, token_id: '', expires_at: 0 };
}

function identify(req: Incoming, query: Credentials | undefined, find: FindAuthenticator): Caller | Promise<Caller> {
  const authenticator = find();
  if (!authenticator) throw fail('extension_unavailable', 'Nobody can sign in now: no extension that knows the members is active');
  // The front has checked the key of whoever came through the local socket.
  if (req.door === 'local') return authenticator.local('local');
  const { authorization } = req.headers;
  if (authorization !== undefined) return authenticator.token(bearer(authorization), 'http', req.address);
  if (query?.ticket !== undefined) return authenticator.ticket(single(query.ticket), 'http', req.address);
  if (query?.token !== undefined) return authenticator.token(single(query.token), 'http', req.address);
  throw needsToken();
}

function bearer(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw fail('invalid_token', 'The Authorization header is not of the form "Bearer <token>"');
  return token;
}

function single(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw fail('invalid_token', 'The address must carry its token or ticket once');
}
