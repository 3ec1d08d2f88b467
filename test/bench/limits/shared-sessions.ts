/**
 * The limit of one of several instances: bare hapi, @hapi/jwt and Joi before the platform's own tables on PostgreSQL, with the statements
 * that a list of sessions and a new one take at the least.
 */
import { randomUUID } from 'node:crypto';
import joi from 'joi';
import { Pool } from 'pg';
import { bareHapi } from './bare-hapi.js';
import { type PairRow, pairRecord } from './pair-record.js';

const [database_url = '', member = ''] = process.argv.slice(2);
const pool = new Pool({ connectionString: database_url, max: 10 });

const columns = `s.id, s.title, p.target_type, p.target_id, s.created_by, s.created_at, s.updated_at,
  s.last_message_at, s.last_message_preview, s.active_task_id, s.member_count, p.level AS notifications, p.unread_count`;
const joined = 'chat_participants p JOIN chat_sessions s ON s.id = p.session_id';
const list = {
  name: 'list',
  text: `SELECT ${columns} FROM ${joined} WHERE p.member_id = $1 AND p.hidden = 0
    ORDER BY p.activity_at DESC, p.session_id DESC LIMIT $2 OFFSET $3`,
};
const add = {
  name: 'add',
  text: `INSERT INTO chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_preview, last_ms, member_count)
    VALUES ($1, $2, 'ai', $3, $4, $4, '', 0, 2)`,
};
const join = {
  name: 'join',
  text: `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at)
    VALUES ($1, $2, 'ai', $3, 0, 0, $4)`,
};

const { server, token } = await bareHapi(member);
const query = joi.object({
  target_type: joi.string().valid('ai', 'member', ''),
  limit: joi.number().integer().min(1).max(200).default(20),
  offset: joi.number().integer().min(0).default(0),
});
const payload = joi.object({ title: joi.string().max(200), target_type: joi.string().allow(''), target_id: joi.string().allow('') });

server.route({
  method: 'GET',
  path: '/api/chat/sessions',
  options: { auth: 'jwt', validate: { query } },
  handler: async (request) => {
    const { limit, offset } = request.query as { limit: number; offset: number };
    return (await pool.query<PairRow>({ ...list, values: [idOf(request), limit, offset] })).rows.map(pairRecord);
  },
});
server.route({
  method: 'POST',
  path: '/api/chat/sessions',
  options: { auth: 'jwt', validate: { payload } },
  handler: async (request) => create(idOf(request), (request.payload as { title: string }).title),
});
server.route({ method: 'GET', path: '/readyz', handler: () => ({ status: 'ok' }) });
await server.start();

process.on('SIGTERM', async () => {
  await server.stop();
  await pool.end();
  process.exit(0);
});
process.send?.({ url: server.info.uri, token });

function idOf(request: { auth: { credentials: object } }): number {
  return (request.auth.credentials as { id: number }).id;
}

async function create(member_id: number, title: string): Promise<object> {
  const [id, now] = [randomUUID(), new Date().toISOString()];
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query({ ...add, values: [id, title, member_id, now] });
    await client.query({ ...join, values: [id, member_id, '1', now] });
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return { id, title, target_type: 'ai', target_id: '1', created_by: member_id, created_at: now, updated_at: now };
}
