import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asTyped } from './invocation.js';
import type { Terminal } from './terminal.js';

export interface Start {
  url: string;
  data_dir: string;
  username: string;
}

/**
 * Prints the generated first password while nobody has changed it: on a terminal once, and then deletes its
 * file; otherwise only the path of the file, because logs are stored.
 */
export async function welcome({ url, data_dir, username }: Start, terminal: Terminal): Promise<void> {
  const { stderr } = terminal;
  const file = join(data_dir, 'first-password');
  const password = await readFile(file, 'utf8').catch(() => undefined);
  if (password === undefined) return;
  if (!stderr.isTTY) {
    stderr.write(`The first password of '${username}' is in ${file}\n`);
    return;
  }
  stderr.write(asTyped(text({ url, data_dir, username, password: password.trim() }), terminal));
  await rm(file, { force: true });
}

function text({ url, username, password }: Start & { password: string }): string {
  return `
Welcome. The platform is running for the first time.

  address    ${url}
  API docs   ${url}/docs
  user name  ${username}
  password   ${password}   (shown only once)

In another terminal:

  platform login --url ${url} --username ${username}
  platform password          choose a password of your own
  platform --help            list all commands

`;
}
