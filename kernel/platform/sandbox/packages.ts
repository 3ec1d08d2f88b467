import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';

interface Package {
  name?: string;
  dependencies?: Readonly<Record<string, string>>;
}

/** Locates a package's main file, or another that it exports, and the folders of the package and its dependencies, as real paths. */
export function locatePackage(name: string, from: string, exported = ''): { main: string; folders: readonly string[] } {
  const main = createRequire(from).resolve(name + exported);
  const folders = new Set<string>();
  collect(name, main, folders);
  return { main, folders: [...folders] };
}

function collect(name: string, main: string, folders: Set<string>): void {
  const { folder, described } = packageOf(name, dirname(main));
  if (folders.has(folder)) return;
  folders.add(folder);
  const { resolve } = createRequire(main);
  for (const needed of Object.keys(described.dependencies ?? {})) {
    // With a slash it is the package, not Node's own module of the same name.
    collect(needed, resolve(isBuiltin(needed) ? `${needed}/` : needed), folders);
  }
}

/** Finds the folder of a package's package.json above its main file. */
function packageOf(name: string, folder: string): { folder: string; described: Package } {
  const described = readPackage(folder);
  if (described?.name === name) return { folder, described };
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`The package '${name}' has no package.json`);
  return packageOf(name, parent);
}

function readPackage(folder: string): Package | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
  } catch {
    return undefined;
  }
}
