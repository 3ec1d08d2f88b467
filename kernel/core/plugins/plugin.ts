import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Extension } from '../../contract/extension.js';
import type { Manifest, Permissions } from '../../contract/manifest.js';
import { fail } from '../host/codes.js';
import type { Bundle, PluginRights } from '../host/loader.js';

/** A plugin or skill in an unpacked folder. */
export interface Plugin {
  manifest: Manifest;
  folder: string;
  /** SHA-256 of its program (or a skill's text) and its manifest, hex. */
  hash: string;
}

/** Creates the extension that runs a plugin's code in its own process. */
export type Contain = (plugin: Plugin, permissions: Permissions) => Extension;

/** Reads the plugin in the folder of an unpacked bundle, which was checked. Its code is neither run nor kept in memory. */
export async function readPlugin(folder: string): Promise<Plugin> {
  const manifest = withPluginClaims(await foreignManifest(folder));
  const file = manifest.type === 'skill' ? 'SKILL.md' : (manifest.main ?? 'index.cjs');
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, file)), hash, { end: false }).catch((cause: unknown) => {
    throw fail('extension_failed', `Extension '${manifest.id}' has no readable ${file}`, { cause });
  });
  hash.update('\0').update(JSON.stringify(manifest));
  return { manifest, folder, hash: hash.digest('hex') };
}

async function foreignManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, 'manifest.json'), 'utf8').catch((cause: unknown) => {
    throw fail('extension_failed', 'manifest.json is not readable', { cause });
  });
  // Loaded on demand, so that a start without plugins doesn't wait for it.
  const { parseForeignManifest } = await import('../host/foreign-manifest.js');
  return parseForeignManifest(text);
}

/** Returns the manifest without fields that only built-in extensions may set, and with the plugin's own path. */
function withPluginClaims({ claims: _claims, required: _required, requires: _requires, ...manifest }: Manifest): Manifest {
  return manifest.type === 'plugin' ? { ...manifest, claims: [`/api/x/${manifest.id}`] } : manifest;
}

/** Returns a plugin in the form in which the host loads extensions. A skill runs no code. */
export function pluginBundle(plugin: Plugin, rights: PluginRights, contain: Contain): Bundle {
  const { manifest, hash } = plugin;
  const evaluate = () => (manifest.type === 'skill' ? idle : contain(plugin, rights.permissions));
  return { manifest, hash, plugin: rights, evaluate };
}

const idle: Extension = { activate: () => undefined };

/** Returns a bundle for a plugin that can't be read here: its start fails with the reason. */
export function brokenBundle({ id, version }: { id: string; version: string }, cause: unknown): Bundle {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const manifest: Manifest = { id, name: id, type: 'plugin', version, description: '', author: '', claims: [`/api/x/${id}`] };
  const evaluate = (): never => {
    throw fail('extension_failed', `Extension '${id}' ${version} can't be read here: ${reason}`, { cause });
  };
  return { manifest, hash: '', plugin: { permissions: {}, config: {}, mark: '' }, evaluate };
}
