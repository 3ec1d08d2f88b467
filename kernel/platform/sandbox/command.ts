import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compilerFlags } from '../process/v8-flags.js';
import { locatePackage } from './packages.js';
import { chainOf } from './walls/chain.js';
import type { Mechanisms } from './walls/mechanisms.js';

export interface CommandOptions {
  /** The program's file, a real path. Default: that of a plugin's process. */
  program?: string | undefined;
  /** Real paths that it reads beside those that every process needs. */
  readable: readonly string[];
  /** Real paths of folders that it reads and writes. */
  writable: readonly string[];
  /** File that it and its worker threads load first. Without one it may not have such threads. */
  preload?: string | undefined;
  /** Limit of its heap. */
  memory_mb: number;
  /** Limit of its memory beside the heap. Default as for plugins. */
  beside_heap_mb?: number | undefined;
  /** The available isolation mechanisms. */
  mechanisms: Mechanisms;
  uid: number | undefined;
  view: { root: string; table: string } | undefined;
}

export interface Command {
  program: string;
  arguments: readonly string[];
  /** Path of Joi. */
  joi: string;
  /** Whether the plugin's process is the only child of the started process. */
  nested: boolean;
}

/** Real paths that every process behind walls needs. */
export interface RuntimePaths {
  /** Node's program. */
  node: string;
  /** The program of a plugin's process. */
  child: string;
  /** Joi's main file. */
  joi: string;
  readable: readonly string[];
}

export function runtimePaths(): RuntimePaths {
  const kernel = fileURLToPath(new URL('../../', import.meta.url)).slice(0, -1);
  const joi = locatePackage('joi', import.meta.url);
  const patterns = locatePackage('re2js', import.meta.url);
  // Node reads the package.json of its program's folder to detect ES modules.
  const platform = fileURLToPath(new URL('../../../../package.json', import.meta.url));
  const child = join(kernel, 'platform', 'sandbox', 'child.js');
  return { node: realpathSync(process.execPath), child, joi: joi.main, readable: [kernel, platform, ...joi.folders, ...patterns.folders] };
}

/**
 * Limit of a semi-space; the young generation has three. The default is 48 MB together, and garbage of fetch bodies stays in memory
 * until they are full, so that the process ran out of memory.
 */
const semi_space_mb = 4;

/** Returns the command of a process behind walls: Node with its permission model, started by programs that set up the other isolation layers. */
export function sandboxCommand({ node, child, joi, readable }: RuntimePaths, options: CommandOptions): Command {
  const { program: main = child, preload, writable, memory_mb, beside_heap_mb, mechanisms, uid, view } = options;
  // One flag for each real path: Node 20 supports neither a list with commas nor a repeated path.
  const read = [...new Set([...readable, ...options.readable, ...writable])].map((path) => `--allow-fs-read=${path}`);
  const write = writable.map((path) => `--allow-fs-write=${path}`);
  const permissions = mechanisms.permissions
    ? [permissionFlag(), ...read, ...write, ...(preload === undefined ? [] : ['--allow-worker'])]
    : [];
  const first = preload === undefined ? [] : ['--import', pathToFileURL(preload).href];
  const heap = [`--max-old-space-size=${memory_mb}`, `--max-semi-space-size=${semi_space_mb}`];
  const flags = [...permissions, ...compilerFlags, ...heap, ...first, '--disable-warning=ExperimentalWarning'];
  const line: readonly string[] = [...chainOf({ mechanisms, uid, view, memory_mb, beside_heap_mb }), node, ...flags, main];
  const [program = node, ...rest] = line;
  return { program, arguments: rest, joi, nested: mechanisms.namespaces.includes('pid') };
}

/** Returns the permission flag, which was renamed; each Node version rejects the other name. */
function permissionFlag(): string {
  return process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
}
