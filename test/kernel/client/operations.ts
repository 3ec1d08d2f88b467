import type { OperationData } from '../../../kernel/contract/manifest.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';

/** Types of the operations that the client's tests use. */
export interface ThingsApi {
  'things.list': { input: { q?: string; limit?: number }; answer: { items: string[] } };
  'things.create': { input: { name: string }; answer: { id: number; name: string } };
  'things.delete': { input: { id: number }; answer: undefined };
  'things.watch': { input: { after?: string }; answer: AsyncIterable<StreamEvent> };
  'things.run': { input: { name: string }; answer: AsyncIterable<StreamEvent> };
  'things.parts.publish': { input: { type: string; file: { bytes: Uint8Array; name: string } }; answer: { ok: boolean } };
}

const plain = { summary: '', who: 'member', kind: 'call', input: { type: 'object', properties: {} }, status: 200 } as const;

export const operations: Record<keyof ThingsApi, OperationData> = {
  'things.list': {
    ...plain,
    method: 'GET',
    path: '/api/things',
    input: { type: 'object', properties: { q: { type: 'string' }, limit: { type: 'integer' } } },
  },
  'things.create': { ...plain, method: 'POST', path: '/api/things', status: 201 },
  'things.delete': { ...plain, method: 'DELETE', path: '/api/things/{id}', status: 204 },
  'things.watch': { ...plain, method: 'GET', path: '/api/things/stream', kind: 'stream' },
  'things.run': { ...plain, method: 'POST', path: '/api/things/run', kind: 'stream' },
  'things.parts.publish': { ...plain, method: 'POST', path: '/api/things/parts', kind: 'upload' },
};
