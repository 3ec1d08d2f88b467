import { hasScope } from '../../../contract/authority.js';
import { fail } from '../../../contract/failure.js';
import type { Caller } from '../../../contract/operation.js';
import { authenticateStream, type Credentials, type FindAuthenticator } from '../auth.js';
import type { Incoming } from '../incoming.js';

/** Query of an upgrade request. */
export interface SocketQuery extends Credentials {
  after: string | undefined;
}

export function queryOf(req: Incoming): SocketQuery {
  const { searchParams } = new URL(req.url ?? '', 'http://host');
  const single = (name: string) => {
    const all = searchParams.getAll(name);
    return all.length > 1 ? all : all[0];
  };
  return { ticket: single('ticket'), token: single('token'), after: searchParams.get('after') ?? undefined };
}

/** Identifies the caller of a socket by the request; undefined if it has no credentials, so the first frame must. */
export async function callerOf(req: Incoming, query: SocketQuery, find: FindAuthenticator): Promise<Caller | undefined> {
  const hasNoCredentials = req.headers.authorization === undefined && query.ticket === undefined && query.token === undefined;
  if (hasNoCredentials && req.door !== 'local') return undefined;
  return assertReader(await authenticateStream(req, query, find));
}

/** Identifies the caller of a socket by the token of its first frame. */
export async function callerOfToken(req: Incoming, token: unknown, find: FindAuthenticator): Promise<Caller> {
  if (typeof token !== 'string' || token === '') throw fail('invalid_token', "An auth frame needs a 'token'");
  const authenticator = find();
  if (!authenticator) throw fail('extension_unavailable', 'Authentication is unavailable: the extension members is not active');
  return assertReader(await authenticator.token(token, 'http', req.address));
}

/** Fails if the token lacks the scope `read`, which a socket needs. */
function assertReader(caller: Caller): Caller {
  if (maySocket(caller, 'read')) return caller;
  throw fail('scope_missing', "This token lacks the scope 'read', which a socket needs");
}

export function maySocket({ scopes }: Caller, scope: 'read' | 'chat'): boolean {
  return hasScope(scopes, scope);
}
