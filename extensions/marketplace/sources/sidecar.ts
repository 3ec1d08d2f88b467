import type { BundleSignature } from '../../../kernel/contract/index.js';
import { parsed } from './pieces.js';
import { readSmall } from './plain-file.js';

const most = 4_096;

/** The signature that lies beside a ZIP as `<its name>.sig`; undefined where there is none. What it is worth is not looked at. */
export async function readSidecar(path: string): Promise<BundleSignature | undefined> {
  const name = `${path}.sig`;
  const bytes = await readSmall(name, { name, most });
  if (bytes === undefined) return undefined;
  const { public_key, signature } = (parsed(bytes, name) ?? {}) as Partial<BundleSignature>;
  return { public_key: String(public_key), signature: String(signature) };
}
