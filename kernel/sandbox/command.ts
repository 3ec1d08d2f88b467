import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { locatePackage } from './packages.js';

export interface CommandOptions {
  /** The plugin's bundle; may be read. */
  folder: string;
  /** The plugin's own folder; may be read and written. */
  files: string;
  /** Where uploads lie; may be read. */
  spool: string;
  /** Of its heap. */
  memory_mb: number;
}

export interface Command {
  program: string;
  arguments: readonly string[];
  /** Where Joi lies. */
  joi: string;
}

/** How a plugin's process is started: Node with its permission model, below everybody else's priority. */
export function sandboxCommand({ folder, files, spool, memory_mb }: CommandOptions): Command {
  const kernel = fileURLToPath(new URL('../', import.meta.url)).slice(0, -1);
  const joi = locatePackage('joi', import.meta.url);
  // Node reads the package.json of its program's folder to know that it is a module.
  const platform = fileURLToPath(new URL('../../../package.json', import.meta.url));
  const own = realpathSync(files);
  // One flag for each path, real ones only; a list with commas fails on Node 20, and so does a path given twice.
  const readable = new Set([kernel, platform, ...joi.folders, realpathSync(folder), own, spool]);
  const node = [
    permissionFlag(),
    ...[...readable].map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${own}`,
    `--max-old-space-size=${memory_mb}`,
    '--disable-warning=ExperimentalWarning',
    join(kernel, 'sandbox', 'child.js'),
  ];
  const [program = process.execPath, ...rest] = [...wrappers(), process.execPath, ...node];
  return { program, arguments: rest, joi: joi.main };
}

/** Programs that each start the next one with something taken away. */
function wrappers(): readonly string[] {
  // Monitoring and coverage patch `spawn`, and add variables to an environment that was given as empty.
  const env = findProgram('env');
  const nice = findProgram('nice');
  return [...(env === undefined ? [] : [env, '-i']), ...(nice === undefined ? [] : [nice, '-n', '19'])];
}

/** The flag's name changed; each version refuses the other's. */
function permissionFlag(): string {
  return process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
}

function findProgram(name: string): string | undefined {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return found.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
