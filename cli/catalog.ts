import { readdirSync, readFileSync } from 'node:fs';
import type { CommandHint, Manifest, OperationData } from '../kernel/contract/manifest.js';

/** The operations and commands of a set of extensions, read from manifests: no extension code runs. */
export interface Catalog {
  operations: Readonly<Record<string, OperationData & { extension: string }>>;
  commands: readonly CommandHint[];
  /** Description of each extension, by id. */
  about: Readonly<Record<string, string>>;
}

// Resolved from dist/cli: the built extensions, whose manifests the build has completed.
const folder = new URL('../extensions/', import.meta.url);

let catalog: Catalog | undefined;

/** Returns the catalog of the built-in extensions, read once from the manifests that the build has completed. */
export function builtinCatalog(): Catalog {
  catalog ??= readCatalog();
  return catalog;
}

function readCatalog(): Catalog {
  const manifests = builtinManifests();
  const operations = manifests.flatMap(({ id, contributes }) =>
    Object.entries(contributes?.operations ?? {}).map(([operation, data]) => [operation, { ...data, extension: id }] as const),
  );
  return {
    operations: Object.fromEntries(operations),
    commands: manifests.flatMap(({ contributes }) => contributes?.commands ?? []),
    about: Object.fromEntries(manifests.map(({ id, description }) => [id, description])),
  };
}

/** Reads the manifests of the built-in extensions. */
export function builtinManifests(): Manifest[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readManifest(new URL(`${entry.name}/manifest.json`, folder)))
    .filter((manifest) => manifest !== undefined);
}

function readManifest(file: URL): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns a built-in operation, for commands that call it by name. */
export function leafOf(id: string): { id: string; operation: OperationData } {
  const operation = builtinCatalog().operations[id];
  if (operation === undefined) throw new Error(`The program was built without the operation ${id}`);
  return { id, operation };
}
