import semver from 'semver';
import type { Manifest } from '../../contract/manifest.js';
import { fail } from './codes.js';
import type { Installed } from './installed.js';
import { findCycle, unmetDependency } from './order.js';
import type { Running } from './running.js';

type AllInstalled = ReadonlyMap<string, Installed>;
type AllRunning = ReadonlyMap<string, Running>;

/** Returns why the extension `id` can't run beside `next`, as a sentence; undefined if it can. */
export function unmetRequirement(id: string, installed: AllInstalled, next: AllRunning): string | undefined {
  const manifests = new Map([...installed].map(([each, { bundle }]) => [each, bundle.manifest]));
  const cycle = findCycle(id, manifests);
  if (cycle) return `Extension '${id}' depends on itself: ${cycle.join(' → ')}`;
  const manifest = manifests.get(id);
  return manifest && unmetDependency(manifest, (each) => next.get(each)?.version);
}

/** Returns the ids of all direct and indirect dependents of `id`. */
export function dependentsOf(id: string, installed: AllInstalled): string[] {
  const found = new Set<string>();
  const collect = (of: string) => {
    for (const [each, { bundle }] of installed) {
      if (found.has(each) || each === id || !Object.hasOwn(bundle.manifest.dependencies ?? {}, of)) continue;
      found.add(each);
      collect(each);
    }
  };
  collect(id);
  return [...found];
}

/** Fails if an extension needs another platform version or claims a path of another extension. */
export function assertCompatible(manifest: Manifest, others: Iterable<Manifest>, platform_version: string): void {
  const wanted = manifest.engines?.platform;
  if (wanted && !semver.satisfies(platform_version, wanted, { includePrerelease: true })) {
    throw fail('engine_mismatch', `Extension '${manifest.id}' needs platform ${wanted}, but this is ${platform_version}`);
  }
  for (const { id, claims } of others) {
    const shared = claims?.find((claim) => manifest.claims?.includes(claim));
    if (id !== manifest.id && shared) {
      throw fail('extension_conflict', `Extension '${manifest.id}' claims ${shared}, which belongs to '${id}'`);
    }
  }
}

/** Returns the owner of each operation of the other extensions. */
export function operationOwners(id: string, next: AllRunning): Map<string, string> {
  const taken = new Map<string, string>();
  for (const running of next.values()) {
    if (running.extension === id) continue;
    for (const operation of running.draft.operations.keys()) taken.set(operation, running.extension);
  }
  return taken;
}
