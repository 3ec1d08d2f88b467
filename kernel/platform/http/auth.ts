import type { Authenticator } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import type { Caller } from '../../contract/operation.js';
import { needsToken } from '../../core/invoke/authorise.js';
import type { Incoming } from './incoming.js';

/** Returns the authenticator registered now. */
export type FindAuthenticator = () => Authenticator | undefined;

/** Returns the cookie that identifies a request's caller, if there is one. */
type FindCookie = (() => string | undefined) | undefined;

/** Credentials in a stream's query, for clients such as `EventSource` that can't send a header. */
export interface Credentials {
  ticket?: unknown;
  token?: unknown;
}

/** Identifies the caller by the header, otherwise by the cookie of an operation that accepts one. */
export function authenticate(req: Incoming, find: FindAuthenticator, cookie?: FindCookie): Caller | Promise<Caller> {
  return identify(req, undefined, find, cookie);
}

/** Identifies the caller of a stream by the header, otherwise by `?ticket=` or `?token=`. */
export function authenticateStream(req: Incoming, query: Credentials, find: FindAuthenticator): Caller | Promise<Caller> {
  return identify(req, query, find);
}

/** Returns the caller of public operations. */
export function anonymous(req: Incoming): Caller {
  const { door, address } = req;
  return { member_id: 0, username: '', role: 'member', scopes: [], door, address, token_id: '', expires_at: 0 };
}

function identify(req: Incoming, query: Credentials | undefined, find: FindAuthenticator, cookie?: FindCookie): Caller | Promise<Caller> {
  const authenticator = find();
  if (!authenticator) throw fail('extension_unavailable', 'Authentication is unavailable: the extension members is not active');
  // The front has already checked the key of the local socket.
  if (req.door === 'local') return authenticator.local('local');
  const { authorization } = req.headers;
  if (authorization !== undefined) return authenticator.token(bearer(authorization), 'http', req.address);
  if (query?.ticket !== undefined) return authenticator.ticket(single(query.ticket), 'http', req.address);
  if (query?.token !== undefined) return authenticator.token(single(query.token), 'http', req.address);
  const session = cookie?.();
  if (session !== undefined && authenticator.session) return authenticator.session(session, 'http', req.address);
  throw needsToken();
}

function bearer(authorization: string): string {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (token === undefined) throw fail('invalid_token', 'The Authorization header must have the form "Bearer <token>"');
  return token;
}

function single(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw fail('invalid_token', 'The query must contain the token or ticket exactly once');
}
