import type { Storage } from '../../contract/extension.js';
import { failData } from './failures.js';
import type { Data } from './hub.js';
import { listKeys, StorageQuota } from './storage-sql.js';

const max_key = 256;
const max_bytes = 64 * 1024;

/** Opens the key-value storage of an extension. Its calls fail with `storage_key_invalid`, `storage_value_too_large` and `storage_full`. */
export function openStorage(data: Data, extension: string): Storage {
  const db = data.facade('kernel');
  const quota = new StorageQuota(db, data.models.storage, extension);
  return {
    async get(key) {
      const row = await data.models.storage.findOne({ where: { extension, key }, raw: true });
      return row === null ? undefined : JSON.parse(row.value);
    },
    async set(key, value) {
      const json = encode(checkKey(key), value);
      await quota.reserve(key, json);
      await data.models.storage.upsert({ extension, key, value: json });
    },
    async delete(key) {
      await data.models.storage.destroy({ where: { extension, key } });
    },
    keys: (prefix = '') => listKeys(db, extension, prefix),
  };
}

function checkKey(key: string): string {
  if (key.length > 0 && key.length <= max_key && !key.includes('\0')) return key;
  throw failData('storage_key_invalid', `A storage key must have 1 to ${max_key} characters, but has ${key.length}`);
}

function encode(key: string, value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.byteLength(json);
  if (bytes <= max_bytes) return json;
  throw failData('storage_value_too_large', `The value of '${key}' may have ${max_bytes} bytes of JSON, but has ${bytes}`);
}
