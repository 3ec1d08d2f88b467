import { readdirSync, readFileSync } from 'node:fs';
import type { CommandHint, Manifest, OperationData } from '../kernel/contract/manifest.js';

/** What can be asked, as far as data tells: nothing of an extension runs for it. */
export interface Catalog {
  operations: Readonly<Record<string, OperationData & { extension: string }>>;
  commands: readonly CommandHint[];
  /** What each extension is for, by id. */
  about: Readonly<Record<string, string>>;
}

// From dist/cli, the built extensions with their completed manifests.
const folder = new URL('../extensions/', import.meta.url);

/** What the program brings itself, from the manifests that the build has completed. */
export function builtinCatalog(): Catalog {
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

/** Reads the manifests of the extensions that the program brings. */
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

// Their inputs are not told here.
const plain = { method: 'GET', kind: 'call', input: { type: 'object' }, status: 200, extension: 'system' } as const;

/** The operations on the platform itself that commands here call by name; the others come with {@link loadedCatalog}. */
export const kernelOperations = {
  'catalog.get': { ...plain, summary: 'Lists what can be asked', path: '/api/catalog', who: 'member' },
  'version.get': { ...plain, summary: 'Tells the version', path: '/api/version', who: 'public' },
  'checks.list': { ...plain, summary: 'Runs the checks', path: '/api/admin/checks', who: 'admin' },
  'status.get': { ...plain, summary: 'Tells how it does', path: '/api/admin/status', who: 'admin' },
  'config.get': { ...plain, summary: 'Shows the settings', path: '/api/admin/config', who: 'admin' },
  'maintenance.backup': {
    ...plain,
    progress: true,
    summary: 'Writes an archive',
    method: 'POST',
    path: '/api/admin/maintenance/backup',
    who: 'admin',
    timeout_ms: 2 * 3_600_000,
  },
  'backups.read': {
    ...plain,
    summary: 'Gives a piece of an archive',
    kind: 'file',
    path: '/api/admin/maintenance/backups/{file}/content',
    who: 'admin',
  },
} as const satisfies Record<string, OperationData & { extension: string }>;
