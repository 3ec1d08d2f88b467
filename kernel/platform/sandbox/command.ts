import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compilerFlags } from '../process/v8-flags.js';
import { locatePackage } from './packages.js';
import { chainOf } from './walls/chain.js';
import type { Means } from './walls/means.js';

export interface CommandOptions {
  /** The plugin's bundle; may be read. This path and the next two are real. */
  folder: string;
  /** The plugin's own folder; may be read and written. */
  files: string;
  /** Where uploads lie; may be read. */
  spool: string;
  /** Of its heap. */
  memory_mb: number;
  /** By what it is held. */
  means: Means;
  uid: number | undefined;
  view: { root: string; table: string } | undefined;
}

export interface Command {
  program: string;
  arguments: readonly string[];
  /** Where Joi lies. */
  joi: string;
  /** Whether the plugin's process is not the one that is started, but its only child. */
  nested: boolean;
}

/** What every plugin's process needs around it; real paths. */
export interface Surroundings {
  /** Node's program. */
  node: string;
  /** The program of a plugin's process. */
  child: string;
  /** Joi's main file. */
  joi: string;
  readable: readonly string[];
}

export function surroundings(): Surroundings {
  const kernel = fileURLToPath(new URL('../../', import.meta.url)).slice(0, -1);
  const joi = locatePackage('joi', import.meta.url);
  const patterns = locatePackage('re2js', import.meta.url);
  // Node reads the package.json of its program's folder to know that it is a module.
  const platform = fileURLToPath(new URL('../../../../package.json', import.meta.url));
  const child = join(kernel, 'platform', 'sandbox', 'child.js');
  return { node: realpathSync(process.execPath), child, joi: joi.main, readable: [kernel, platform, ...joi.folders, ...patterns.folders] };
}

/**
 * Limits a semi-space; the young generation has three. By default they take 48 MB, and bodies of fetches that are garbage stay in memory
 * until they are full: together they ended the process for lack of memory.
 */
const semi_space_mb = 4;

/** How a plugin's process is started: Node with its permission model, after programs that build the other walls. */
export function sandboxCommand({ node, child, joi, readable }: Surroundings, options: CommandOptions): Command {
  const { folder, files, spool, memory_mb, means, uid, view } = options;
  // One flag for each path, real ones only; a list with commas fails on Node 20, and so does a path given twice.
  const read = [...new Set([...readable, folder, files, spool])].map((path) => `--allow-fs-read=${path}`);
  const permissions = means.permissions ? [permissionFlag(), ...read, `--allow-fs-write=${files}`] : [];
  const heap = [`--max-old-space-size=${memory_mb}`, `--max-semi-space-size=${semi_space_mb}`];
  const flags = [...permissions, ...compilerFlags, ...heap, '--disable-warning=ExperimentalWarning'];
  const line: readonly string[] = [...chainOf({ means, uid, view, memory_mb }), node, ...flags, child];
  const [program = node, ...rest] = line;
  return { program, arguments: rest, joi, nested: means.namespaces.includes('pid') };
}

/** The flag's name changed; each version refuses the other's. */
function permissionFlag(): string {
  return process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
}
