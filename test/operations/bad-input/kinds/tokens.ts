import { createHmac } from 'node:crypto';
import type { Scope } from '../../../../kernel/contract/index.js';
import { type Kind, kind, withHeaders } from '../kind.js';
import type { Subject } from '../subject.js';
import type { World } from '../world.js';

/** A value of the header; undefined for none. */
type Authorization = (world: World, subject: Subject) => string | undefined;

/** Requests that are good but for who asks. Whoever asks a public operation isn't looked at. */
export const tokenKinds: readonly Kind[] = [
  refused('no token', 'unauthenticated', () => undefined),
  refused('an empty header', 'invalid_token', () => ''),
  refused('Bearer without a token', 'invalid_token', () => 'Bearer '),
  refused('two tokens in a header', 'invalid_token', ({ side }) => `Bearer ${side.tokens.get('admin')} ${side.tokens.get('admin')}`),
  refused('a user name and password', 'invalid_token', () => `Basic ${Buffer.from('admin:admin').toString('base64')}`),
  refused('the key of another socket', 'invalid_token', () => 'Local 0123456789abcdef'),
  refused('a token of nobody', 'invalid_token', () => 'Bearer nonsense'),
  refused('a token of bytes that are no text', 'invalid_token', () => 'Bearer \xff\xfe\x80'),
  refused('a token of 4,000 characters', 'invalid_token', () => `Bearer ${'x'.repeat(4_000)}`),
  refused('a header of 20,000 characters', 'header_too_large', () => `Bearer ${'x'.repeat(20_000)}`),
  refused('a personal token that never was', 'invalid_token', () => `Bearer plat_${'x'.repeat(43)}`),
  refused('a token whose parts are no JSON', 'invalid_token', () => 'Bearer eyJ.eyJ.x'),
  refused('a token with the algorithm none', 'invalid_token', (world) => `Bearer ${forged(world, { alg: 'none' }, '')}`),
  refused('a token signed with a guessed key', 'invalid_token', (world) => `Bearer ${forged(world, {}, 'secret')}`),
  refused('a token signed with an empty key', 'invalid_token', (world) => `Bearer ${forged(world, {}, '')}`),
  refused('a token whose key is a path', 'invalid_token', (world) => `Bearer ${forged(world, { kid: '../../../dev/null' }, '')}`),
  refused('a token whose key is inherited', 'invalid_token', (world) => `Bearer ${forged(world, { kid: '__proto__' }, 'secret')}`),
  refused('a token whose signature is of another one', 'invalid_token', (world) => `Bearer ${swapped(world)}`),
  refused('a token that has expired', 'invalid_token', ({ tokens }) => `Bearer ${tokens.expired}`),
  refused('a token of a deleted member', 'invalid_token', ({ tokens }) => `Bearer ${tokens.deleted}`),
  refused('a token that was logged out', 'invalid_token', ({ tokens }) => `Bearer ${tokens.logged_out}`),
  refused('a personal token that was revoked', 'invalid_token', ({ tokens }) => `Bearer ${tokens.revoked}`),
  refused('a refresh token', 'invalid_token', ({ tokens }) => `Bearer ${tokens.refresh}`),
  refused('a ticket in the header', 'invalid_token', ({ tokens }) => `Bearer ${tokens.ticket}`),
  refused('a scope that is too small', 'scope_missing', (world, { operation }) => `Bearer ${tooSmall(world, operation)}`),
  {
    name: 'an insufficient role',
    of: (subject, world) => (subject.operation.who === 'admin' ? refused('', 'forbidden', ofAda).of(subject, world) : []),
  },
  inAddress('a good token in an address that takes none', 'unauthenticated', {
    stream: false,
    query: ({ side }) => `token=${side.tokens.get('admin')}`,
  }),
  inAddress('a good ticket in an address that takes none', 'unauthenticated', {
    stream: false,
    query: ({ tokens }) => `ticket=${tokens.ticket}`,
  }),
  inAddress('a ticket that was used', 'invalid_token', { stream: true, query: ({ tokens }) => `ticket=${tokens.spent_ticket}` }),
  inAddress('a ticket of nobody', 'invalid_token', { stream: true, query: () => 'ticket=nonsense' }),
  inAddress('an empty ticket', 'invalid_token', { stream: true, query: () => 'ticket=' }),
  inAddress('two tickets', 'invalid_token', { stream: true, query: ({ tokens }) => `ticket=${tokens.ticket}&ticket=${tokens.ticket}` }),
  inAddress('a forged token in the address', 'invalid_token', { stream: true, query: (world) => `token=${forged(world, {}, 'secret')}` }),
  inAddress('an expired token in the address', 'invalid_token', { stream: true, query: ({ tokens }) => `token=${tokens.expired}` }),
];

function refused(name: string, code: string, authorization: Authorization): Kind {
  return kind(name, code, (subject, world) => {
    if (subject.isPublic) return undefined;
    return withHeaders(subject.parts(), { authorization: authorization(world, subject) });
  });
}

/** The token in the query instead of the header, for streams and files or for all others. */
function inAddress(name: string, code: string, { stream, query }: { stream: boolean; query: (world: World) => string }): Kind {
  return kind(name, code, (subject, world) => {
    if (subject.isPublic || subject.takesTokenInAddress !== stream) return undefined;
    const parts = withHeaders(subject.parts(), { authorization: undefined });
    return { ...parts, target: `${parts.target}${parts.target.includes('?') ? '&' : '?'}${query(world)}` };
  });
}

function ofAda({ side }: World): string {
  return `Bearer ${side.tokens.get('ada')}`;
}

/** A personal token of a member who may, with another scope than the operation needs. */
function tooSmall({ side, tokens }: World, { who, method, scope }: Subject['operation']): string | undefined {
  if (who === 'admin') return tokens.admin_reader;
  const needed = (scope as Scope | undefined) ?? (method === 'GET' ? 'read' : 'chat');
  return side.tokens.get(needed === 'read' ? 'limited' : 'reader');
}

/** The administrator's token with another head, signed with another key. Without an algorithm there is no signature. */
function forged({ side }: World, head: object, key: string): string {
  const [header = '', payload = ''] = (side.tokens.get('admin') as string).split('.');
  const changed = { ...(JSON.parse(Buffer.from(header, 'base64url').toString()) as object), ...head };
  const text = `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${payload}`;
  if ('alg' in head) return `${text}.`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

/** Ada's own token, in which she calls herself the administrator. */
function swapped({ side }: World): string {
  const [header, payload = '', signature] = (side.tokens.get('ada') as string).split('.');
  const claims = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), sub: '1', role: 'admin' };
  return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
}
