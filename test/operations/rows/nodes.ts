import type { Row, Uses } from '../table.js';

const unknown: Row = { name: 'an id that nothing has', input: { id: 999_999 }, code: 'node_not_found' };
const badId: Row = { name: 'what is no id', input: { id: 'first' }, code: 'invalid_input' };

export const nodesRows: Record<string, Uses> = {
  'nodes.list': {
    success: [{ name: 'none', input: {}, body: { items: [], total: 0 } }],
    failures: [{ name: 'a page that is none', input: { limit: 0 }, code: 'invalid_input' }],
  },
  'nodes.get': { success: [{ name: 'shows one', input: { id: 1 }, code: 'node_not_found' }], failures: [unknown, badId] },
};
