import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve, sep } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Extension } from '../../contract/extension.js';
import * as contract from '../../contract/index.js';
import type { Manifest, Permissions } from '../../contract/manifest.js';
import { fail } from './codes.js';

export interface PluginRights {
  permissions: Permissions;
  config: Readonly<Record<string, unknown>>;
  /** Identifies the stored settings from which `config` was made. */
  mark: string;
}

/** One version of an extension, read but not run. */
export interface Bundle {
  manifest: Manifest;
  /** Path of its folder, for an extension with files for browsers. */
  folder?: string;
  /** SHA-256 of the bundle and its manifest, hex. */
  hash: string;
  /** Permissions and settings of a plugin, which runs in its own process; undefined for built-in extensions. */
  plugin?: PluginRights;
  /** Runs the bundle's top level and returns its exports. Each call creates a new copy of all module state. */
  evaluate(): Extension;
}

/** Default file name of a bundle. */
export const default_main = 'index.cjs';

const platformRequire = createRequire(import.meta.url);

/**
 * Reads the bundle of an extension. It is compiled as a function instead of imported, because an imported module is never freed:
 * each of hundreds of replacements would leak a copy.
 *
 * @param known The bytes, if the caller has read them already.
 */
export async function loadBundle(folder: string, manifest: Manifest, known?: Buffer): Promise<Bundle> {
  const main = manifest.main ?? default_main;
  const path = resolve(folder, main);
  if (!path.startsWith(resolve(folder) + sep)) throw fail('manifest_invalid', `'main' of extension '${manifest.id}' is outside its folder`);
  const bytes =
    known ??
    (await readFile(path).catch((cause: unknown) => {
      throw fail('extension_failed', `Extension '${manifest.id}' has no readable ${main}`, { cause });
    }));
  const hash = createHash('sha256').update(bytes).update('\0').update(JSON.stringify(manifest)).digest('hex');
  const code = bytes.toString('utf8');
  return { manifest, folder: resolve(folder), hash, evaluate: () => evaluate(code, path, manifest) };
}

function evaluate(code: string, path: string, manifest: Manifest): Extension {
  const module: { exports: unknown } = { exports: {} };
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
  const run = compileFunction(code, parameters, { filename: path });
  run(module.exports, limitedRequire(manifest), module, path, join(path, '..'));
  const exported = module.exports as { default?: unknown };
  const extension = (exported.default ?? exported) as Partial<Extension>;
  if (typeof extension.activate !== 'function') {
    throw fail('extension_failed', `Extension '${manifest.id}' exports no activate function`);
  }
  return extension as Extension;
}

/** Returns a `require` limited to the contract, Node's modules and the packages named in the manifest. */
function limitedRequire(manifest: Manifest): (name: string) => unknown {
  const allowed = manifest.requires ?? [];
  return (name) => {
    if (name === 'platform/contract') return contract;
    if (name.startsWith('node:')) return platformRequire(name);
    if (allowed.some((granted) => name === granted || name.startsWith(`${granted}/`))) return platformRequire(name);
    throw fail('extension_failed', `Extension '${manifest.id}' requires '${name}', which its manifest does not name under 'requires'`);
  };
}
