import type { Operations } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import { max_bytes } from './files/files.js';
import { messages } from './message-operations.js';
import * as shape from './shapes.js';

/** Limit of the bytes of a form beside its file. */
const form_bytes = 64 * 1024;

type FileApi = Pick<ChatApi, Extract<keyof ChatApi, `files.${string}`>>;

/** The operations on files of messages. */
export const fileOperations = {
  'files.upload': {
    summary: 'Uploads a file of at most 50 MiB, to be sent with a message. It is removed if no message names it within an hour.',
    subject: messages,
    method: 'POST',
    path: '/api/chat/files',
    who: 'member',
    audience: 'caller',
    costly: true,
    kind: 'upload',
    input: shape.uploadedFile,
    answer: shape.messageFile,
    status: 201,
    failures: ['file_empty', 'quota_exceeded'],
    idempotent: 'data',
    max_bytes: max_bytes + form_bytes,
    timeout_ms: 120_000,
  },
  'files.list': {
    summary: 'Lists the files that you have uploaded and not sent yet, newest first, with what you have stored and your limit.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/files',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ limit: shape.limit(j, 50), offset: j.number().integer().min(0).max(2_147_483_647).default(0) }),
    answer: (j) =>
      shape
        .memberUsage(j)
        .append({ items: j.array().items(shape.unsentFile(j)).required(), total: j.number().integer().min(0).required() })
        .label('UnsentFiles'),
  },
  'files.delete': {
    summary: 'Removes a file that you have uploaded and not sent yet. A sent file goes with the last message that names it.',
    subject: messages,
    method: 'DELETE',
    path: '/api/chat/files/{file_id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ file_id: shape.id(j).required() }),
    dangerous: true,
    failures: ['file_not_found', 'file_sent'],
  },
  'files.get': {
    summary: 'Downloads a file of a message in one of your sessions, or one that you have uploaded and not sent yet.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/files/{file_id}',
    who: 'member',
    audience: 'caller',
    kind: 'file',
    input: (j) => j.object({ file_id: shape.id(j).required() }),
    failures: ['file_not_found'],
    timeout_ms: 120_000,
  },
  'files.thumbnail': {
    summary: 'Downloads the thumbnail of a file that is an image: WebP of at most 512 × 512 pixels, upright and without metadata.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/files/{file_id}/thumbnail',
    who: 'member',
    audience: 'caller',
    kind: 'file',
    input: (j) => j.object({ file_id: shape.id(j).required() }),
    failures: ['file_not_found', 'no_thumbnail'],
    timeout_ms: 60_000,
  },
} satisfies Operations<FileApi>;
