import assert from 'node:assert/strict';
import { dirname, join, resolve } from 'node:path';

export type Address = { dialect: 'sqlite'; file: string } | { dialect: 'postgres'; url: string };

/** Reads `sqlite:` (the file `platform.db` of the data folder), `sqlite:<path>` or `postgres://…`. */
export function parseAddress(url: string, data_dir: string): Address {
  if (/^postgres(ql)?:\/\//.test(url)) return { dialect: 'postgres', url };
  assert(url.startsWith('sqlite:'), `The database's address must start with sqlite: or postgres://, but is '${url.split(':')[0]}:…'`);
  const path = url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  return { dialect: 'sqlite', file: path === '' ? join(data_dir, 'platform.db') : resolve(path) };
}

/** Returns the folders that an installation writes to: a database file may lie outside of the data folder. */
export function foldersOf(address: Address, data_dir: string): string[] {
  return address.dialect === 'sqlite' ? [...new Set([data_dir, dirname(address.file)])] : [data_dir];
}
