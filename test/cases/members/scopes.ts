/** A request with an administrator's personal token. */
export interface ScopeCase {
  name: string;
  source: string;
  scopes: readonly ('read' | 'chat' | 'admin')[];
  method: 'GET' | 'POST';
  /** `{node}` and `{bundle}` stand for a node and a version under review of somebody else's. */
  path: string;
  body?: object;
  status: number;
  /** Part of the answer. */
  expected?: object;
}

const rfc = 'RFC 6749, 1.4 and 3.3: a token grants its scope, not all that its owner may';
const others = { title: 'x', content: 'x', member_ids: [2] };

export const scopeCases: readonly ScopeCase[] = [
  {
    name: "an administrator's token without the scope admin notifies nobody else",
    source: rfc,
    scopes: ['chat'],
    method: 'POST',
    path: '/api/notifications',
    body: others,
    status: 403,
    expected: { code: 'forbidden' },
  },
  {
    name: "an administrator's token with the scope admin notifies others",
    source: rfc,
    scopes: ['admin'],
    method: 'POST',
    path: '/api/notifications',
    body: others,
    status: 201,
  },
  {
    name: "an administrator's reading token sees a plugin without its settings and log",
    source: rfc,
    scopes: ['read'],
    method: 'GET',
    path: '/api/plugins/members',
    status: 200,
    expected: { name: 'members', config: {}, log: [] },
  },
  {
    name: "an administrator's reading token sees no bundle under review",
    source: rfc,
    scopes: ['read'],
    method: 'GET',
    path: '/api/marketplace/{bundle}/versions/1.0.0',
    status: 404,
    expected: { code: 'extension_not_found' },
  },
  {
    name: "an administrator's reading token downloads no bundle under review",
    source: rfc,
    scopes: ['read'],
    method: 'GET',
    path: '/api/marketplace/{bundle}/versions/1.0.0/download',
    status: 404,
  },
  {
    name: "an administrator's reading token sees no address of an engine",
    source: rfc,
    scopes: ['read'],
    method: 'GET',
    path: '/api/remote-nodes/{node}',
    status: 200,
    expected: { host: '', reason: '' },
  },
  {
    name: "an administrator's reading token sees no reason of a node's status",
    source: rfc,
    scopes: ['read'],
    method: 'GET',
    path: '/api/remote-nodes/{node}/health',
    status: 200,
    expected: { reason: '' },
  },
  {
    name: "an administrator's chat token gets no administrator operations in the catalog",
    source: rfc,
    scopes: ['chat'],
    method: 'GET',
    path: '/api/admin/audit',
    status: 403,
    expected: { code: 'scope_missing' },
  },
];
