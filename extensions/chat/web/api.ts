import { operations } from '@platform/kit';
import type { ChatApi } from '../contract.js';
import type { Approval } from './records.js';

/** Operations that the pages use: chat's own, and those of other extensions that they know by id. */
type WebApi = ChatApi & {
  'approvals.list': { input: { status?: Approval['status']; limit: number; offset: number }; answer: Approval[] };
  'approvals.get': { input: { id: string }; answer: Approval };
  'approvals.decide': { input: { id: string; decision: 'approve' | 'deny'; reason: string }; answer: Approval };
  'sessions.export': { input: { session_id: string; format: 'markdown' | 'json' }; answer: { mime_type: string; blob: Blob } };
  'messages.report': { input: { message_id: string; reason: string }; answer: unknown };
};

export const api = operations<WebApi>();

/** Number of conversations that are listed at first; also the largest page of the server. */
export const sessions_input = { limit: 200, offset: 0 } as const;
