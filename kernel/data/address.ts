import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';

export type Address = { dialect: 'sqlite'; file: string } | { dialect: 'postgres'; url: string };

/** Reads `sqlite:` (the file `platform.db` of the data folder), `sqlite:<path>` or `postgres://…`. */
export function parseAddress(url: string, data_dir: string): Address {
  if (/^postgres(ql)?:\/\//.test(url)) return { dialect: 'postgres', url };
  assert(url.startsWith('sqlite:'), `The database's address must start with sqlite: or postgres://, but is '${url.split(':')[0]}:…'`);
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  return { dialect: 'sqlite', file: path === '' ? join(data_dir, 'platform.db') : resolve(path) };
}
