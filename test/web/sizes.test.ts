import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import t from 'tap';
import { documentOf } from '../../extensions/web/document.js';
import { modulesFor } from '../../extensions/web/modules.js';
import type { BrowserFiles, Manifest } from '../../kernel/contract/index.js';

const kib = 1024;
const address = (extension: string, file: string) => `/assets/${extension}/${file}`;

/** Returns the manifest of an extension as the build has completed it. */
function manifestOf(extension: string): Manifest {
  return JSON.parse(readFileSync(join('dist', 'extensions', extension, 'manifest.json'), 'utf8')) as Manifest;
}

function filesOf(extension: string): BrowserFiles {
  return manifestOf(extension).contributes?.web ?? {};
}

/** Returns the size of a file as browsers get it. */
function sizeOf(path: string): number {
  const [, , extension = '', file = ''] = path.split('/');
  return statSync(join('dist', 'extensions', extension, 'web', `${file}.br`)).size;
}

const sum = (paths: readonly string[]) => paths.reduce((all, path) => all + sizeOf(path), 0);

/** Sizes of a first visit to a path: what comes until somebody can log in, and what a member needs beyond it. */
function visit(path: string, extension: string) {
  const shell = filesOf('web');
  const files = filesOf(extension);
  const pages = [{ extension, files, entries: manifestOf(extension).pages ?? [] }];
  const later = modulesFor(path, { shell, pages, address });
  const { html } = documentOf(shell, { nonce: 'n'.repeat(22), prefix: '', path }, later);
  const { module = '', style = '', parts = {} } = shell;
  const first = [module, style, ...(parts[module] ?? [])].map((file) => address('web', file));
  const logIn = brotliCompressSync(html).length + sum(first);
  return { logIn, page: logIn + sum(later) + (files.style === undefined ? 0 : sizeOf(address(extension, files.style))), later };
}

t.test('a first visit loads at most 100 KiB until the log-in, and 250 until a conversation is drawn', async (t) => {
  const { logIn, page, later } = visit('/chat/some-conversation', 'chat');
  t.ok(logIn <= 100 * kib, `log-in: ${(logIn / kib).toFixed(1)} KiB`);
  t.ok(page <= 250 * kib, `conversation: ${(page / kib).toFixed(1)} KiB`);
  t.ok(later.length > 5 && later.some((file) => file.startsWith('/assets/web/kit-markdown-')), 'with Markdown');
});

t.test('and so does one to the first page', async (t) => {
  const { page } = visit('/', 'notifications');
  t.ok(page <= 250 * kib, `${(page / kib).toFixed(1)} KiB`);
});
