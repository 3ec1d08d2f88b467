/** The limit of `GET /api/chat/sessions`: the same answer from bare hapi, @hapi/jwt, Joi and one prepared statement, by hand. */
import joi from 'joi';
import sqlite3 from 'sqlite3';
import { bareHapi } from './bare-hapi.js';
import { type PairRow, pairRecord } from './pair-record.js';

const [file = '', member = ''] = process.argv.slice(2);

const database = new sqlite3.Database(file, sqlite3.OPEN_READONLY);
const statement = database.prepare(`SELECT s.id, s.title, p.target_type, p.target_id, s.created_by, s.created_at, s.updated_at,
  s.last_message_at, s.last_message_preview, s.active_task_id, s.member_count, p.level AS notifications, p.unread_count
  FROM chat_participants p JOIN chat_sessions s ON s.id = p.session_id
  WHERE p.member_id = ?1 AND p.hidden = 0 ORDER BY p.activity_at DESC, p.session_id DESC LIMIT ?2 OFFSET ?3`);

function list(values: number[]): Promise<object[]> {
  return new Promise((resolve, reject) => {
    statement.all(values, (fault, rows) => (fault ? reject(fault) : resolve((rows as PairRow[]).map(pairRecord))));
  });
}

const { server, token } = await bareHapi(member);
server.route({
  method: 'GET',
  path: '/api/chat/sessions',
  options: {
    auth: 'jwt',
    validate: {
      query: joi.object({
        target_type: joi.string().valid('ai', 'member', ''),
        limit: joi.number().integer().min(1).max(200).default(20),
        offset: joi.number().integer().min(0).default(0),
      }),
    },
  },
  handler: async (request) => {
    const { limit, offset } = request.query as { limit: number; offset: number };
    return list([(request.auth.credentials as { id: number }).id, limit, offset]);
  },
});
server.route({ method: 'GET', path: '/healthz', handler: () => ({ status: 'ok' }) });
await server.start();

process.send?.({ url: server.info.uri, token });
