import { rm } from 'node:fs/promises';
import type { Call, CheckedBundle, Extensions } from '../../../kernel/contract/index.js';
import { changeMessages, permissionChanges } from '../checks.js';
import { fail } from './codes.js';
import type { Source, SourceItem } from './source.js';

export interface ReceiveOptions extends Pick<Call, 'signal' | 'progress'> {
  /** Destination of the ZIP: a file that doesn't exist yet. */
  file: string;
  extensions: Pick<Extensions, 'check' | 'isSigned'>;
}

/**
 * Downloads a version and verifies that it is what the source announced: hash, checks, id, version, type, no additional
 * permissions, and the signature if there is one. On success the file stays; on failure nothing is left.
 *
 * Fails as {@link Source.download} does, with the codes for bundles and `source_mismatch`.
 */
export async function receiveBundle(source: Source, item: SourceItem, options: ReceiveOptions): Promise<CheckedBundle> {
  const { file, extensions, signal, progress } = options;
  await source.download(item, file, { signal, onProgress: (done, total) => progress?.({ doing: 'fetching', done, total }) });
  try {
    progress?.({ doing: 'checking', done: 0, total: 0 });
    const bundle = await extensions.check(file, signal);
    assertAnnounced(bundle, item, source.name);
    assertPermissionsListed(bundle, item, source.name);
    if (item.signature !== undefined && !extensions.isSigned(item, item.signature)) {
      throw fail('source_mismatch', `The signature that ${source.name} announces for ${item.id} ${item.version} does not match the bundle`);
    }
    return bundle;
  } catch (fault) {
    await rm(file, { force: true });
    throw fault;
  }
}

function assertAnnounced({ manifest, content_hash }: CheckedBundle, item: SourceItem, from: string): void {
  const isSame = manifest.id === item.id && manifest.version === item.version && manifest.type === item.type;
  if (isSame && content_hash === item.content_hash) return;
  const found = `the ${manifest.type} ${manifest.id} ${manifest.version}`;
  throw fail('source_mismatch', `${from} announces the ${item.type} ${item.id} ${item.version}, but the bundle is ${found}`);
}

/** Rejects unannounced permissions, because the installer has only seen the announced ones. */
function assertPermissionsListed({ manifest }: CheckedBundle, { id, version, permissions }: SourceItem, from: string): void {
  const unannounced = permissionChanges(permissions, manifest.permissions).added;
  if (unannounced.length === 0) return;
  throw fail(
    'source_mismatch',
    `${id} ${version} requests more permissions than ${from} announces: ${changeMessages(unannounced)}`.slice(0, 1_000),
  );
}
