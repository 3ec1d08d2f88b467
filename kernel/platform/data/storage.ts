import type { Storage } from '../../contract/extension.js';
import { failData } from './failures.js';
import type { Data } from './hub.js';
import { StorageRoom } from './storage-room.js';

const most_key = 256;
const most_bytes = 64 * 1024;
const most_listed = 1_000;

/** The key-value storage of one extension. Fails with `storage_key_invalid`, `storage_value_too_large` and `storage_full`. */
export function openStorage(data: Data, extension: string): Storage {
  const db = data.facade('kernel');
  const room = new StorageRoom(db, extension);
  return {
    async get(key) {
      const [row] = await db.rows<{ value: string }>('SELECT value FROM kernel_storage WHERE extension = $1 AND key = $2', [
        extension,
        key,
      ]);
      return row === undefined ? undefined : JSON.parse(row.value);
    },
    async set(key, value) {
      const sql = `INSERT INTO kernel_storage (extension, key, value) VALUES ($1, $2, $3)
        ON CONFLICT (extension, key) DO UPDATE SET value = excluded.value`;
      const json = encode(checkKey(key), value);
      await room.take(key, json);
      await db.run(sql, [extension, key, json]);
    },
    async delete(key) {
      await db.run('DELETE FROM kernel_storage WHERE extension = $1 AND key = $2', [extension, key]);
    },
    async keys(prefix = '') {
      const sql = `SELECT key FROM kernel_storage WHERE extension = $1 AND substr(key, 1, $2) = $3 ORDER BY ${order(data)} LIMIT ${most_listed}`;
      const rows = await db.rows<{ key: string }>(sql, [extension, prefix.length, prefix]);
      return rows.map(({ key }) => key);
    },
  };
}

/** By code points on both databases, whatever language PostgreSQL was set up for. */
function order({ dialect }: Data): string {
  return dialect === 'postgres' ? 'key COLLATE "C"' : 'key';
}

function checkKey(key: string): string {
  if (key.length > 0 && key.length <= most_key && !key.includes('\0')) return key;
  throw failData('storage_key_invalid', `A storage key has 1 to ${most_key} characters, but this one has ${key.length}`);
}

function encode(key: string, value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.byteLength(json);
  if (bytes <= most_bytes) return json;
  throw failData('storage_value_too_large', `The value of '${key}' may have ${most_bytes} bytes of JSON, but has ${bytes}`);
}
