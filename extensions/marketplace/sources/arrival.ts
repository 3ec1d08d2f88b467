import { rm } from 'node:fs/promises';
import type { CheckedBundle, Extensions } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Source, SourceItem } from './source.js';

export interface ArrivalOptions {
  /** Where the ZIP goes: a file that isn't there yet. */
  file: string;
  extensions: Pick<Extensions, 'check' | 'isSigned'>;
  signal: AbortSignal;
}

/**
 * Downloads what a source has announced, and proves that it is just that: hash, checks, id, version, type, and the signature where
 * it has one. The file stays where it resolves; whatever fails leaves nothing.
 *
 * Fails as {@link Source.download} does, with the codes for bundles and `source_mismatch`.
 */
export async function receive(source: Source, item: SourceItem, { file, extensions, signal }: ArrivalOptions): Promise<CheckedBundle> {
  await source.download(item, file, signal);
  try {
    const bundle = await extensions.check(file, signal);
    assertSame(bundle, item, source.name);
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
