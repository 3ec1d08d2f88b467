import { rm } from 'node:fs/promises';
import type { Call, CheckedBundle, Extensions } from '../../../kernel/contract/index.js';
import { permissionChanges, shownChanges } from '../checks.js';
import { fail } from './codes.js';
import type { Source, SourceItem } from './source.js';

export interface ArrivalOptions extends Pick<Call, 'signal' | 'progress'> {
  /** Where the ZIP goes: a file that isn't there yet. */
  file: string;
  extensions: Pick<Extensions, 'check' | 'isSigned'>;
}

/**
 * Downloads what a source has announced, and proves that it is just that: hash, checks, id, version, type, no more permissions, and
 * the signature where it has one. The file stays where it resolves; whatever fails leaves nothing.
 *
 * Fails as {@link Source.download} does, with the codes for bundles and `source_mismatch`.
 */
export async function receive(source: Source, item: SourceItem, options: ArrivalOptions): Promise<CheckedBundle> {
  const { file, extensions, signal, progress } = options;
  await source.download(item, file, { signal, arrived: (done, total) => progress?.({ doing: 'fetching', done, total }) });
  try {
    progress?.({ doing: 'checking', done: 0, total: 0 });
    const bundle = await extensions.check(file, signal);
    assertSame(bundle, item, source.name);
    assertNoMore(bundle, item, source.name);
    if (item.signature !== undefined && !extensions.isSigned(item, item.signature)) {
      throw fail('source_mismatch', `The signature that ${source.name} gives of ${item.id} ${item.version} is not one of this bundle`);
    }
    return bundle;
  } catch (fault) {
    await rm(file, { force: true });
    throw fault;
  }
}

function assertSame({ manifest, content_hash }: CheckedBundle, item: SourceItem, from: string): void {
  const isSame = manifest.id === item.id && manifest.version === item.version && manifest.type === item.type;
  if (isSame && content_hash === item.content_hash) return;
  const found = `the ${manifest.type} ${manifest.id} ${manifest.version}`;
  throw fail('source_mismatch', `What ${from} gives as the ${item.type} ${item.id} ${item.version} is ${found}`);
}

/** Whoever decides to install it has seen those that were announced. */
function assertNoMore({ manifest }: CheckedBundle, { id, version, permissions }: SourceItem, from: string): void {
  const hidden = permissionChanges(permissions, manifest.permissions).added;
  if (hidden.length === 0) return;
  throw fail('source_mismatch', `${id} ${version} asks for more permissions than ${from} says: ${shownChanges(hidden)}`.slice(0, 1_000));
}
