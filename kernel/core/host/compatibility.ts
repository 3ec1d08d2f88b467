import semver from 'semver';
import type { Manifest } from '../../contract/manifest.js';
import { fail } from './codes.js';
import type { Installed } from './installed.js';
import { findCycle, unmetDependency } from './order.js';
import type { Running } from './running.js';

/** Extensions that the host knows, running or not, by id. */
type AllInstalled = ReadonlyMap<string, Installed>;
/** Extensions that are active, or will be after a change, by id. */
type AllRunning = ReadonlyMap<string, Running>;

/** Returns why the installed extension `id` could not run together with those in `next`, as a sentence; undefined if it could. */
export function unmetRequirement(id: string, installed: AllInstalled, next: AllRunning): string | undefined {
  const manifests = new Map([...installed].map(([installed_id, { bundle }]) => [installed_id, bundle.manifest]));
  const cycle = findCycle(id, manifests);
  if (cycle) return `Extension '${id}' depends on itself: ${cycle.join(' → ')}`;
  const manifest = manifests.get(id);
  return manifest && unmetDependency(manifest, (dependency) => next.get(dependency)?.version);
}

/** Returns the ids of all direct and indirect dependents of `id`. */
export function dependentsOf(id: string, installed: AllInstalled): string[] {
  const found = new Set<string>();
  const collect = (dependency: string) => {
    for (const [dependent, { bundle }] of installed) {
      if (found.has(dependent) || dependent === id || !Object.hasOwn(bundle.manifest.dependencies ?? {}, dependency)) continue;
      found.add(dependent);
      collect(dependent);
    }
  };
  collect(id);
  return [...found];
}

/** Returns whether an extension supports a version of the platform. A prerelease counts as a version of its series: 0.3.0-rc.1 satisfies >=0.2.0. */
export function supportsPlatform({ engines }: Manifest, platform_version: string): boolean {
  return !engines?.platform || semver.satisfies(platform_version, engines.platform, { includePrerelease: true });
}

/**
 * Fails with `engine_mismatch` if an extension needs another version of the platform, and with `extension_conflict` if it claims a path that
 * another extension claims. A claim below another's is allowed: the longest one wins.
 */
export function assertCompatible(manifest: Manifest, others: Iterable<Manifest>, platform_version: string): void {
  if (!supportsPlatform(manifest, platform_version)) {
    const wanted = manifest.engines?.platform;
    throw fail('engine_mismatch', `Extension '${manifest.id}' needs platform ${wanted}, but this is ${platform_version}`);
  }
  for (const { id, claims } of others) {
    const shared = claims?.find((claim) => manifest.claims?.includes(claim));
    if (id !== manifest.id && shared) {
      throw fail('extension_conflict', `Extension '${manifest.id}' claims ${shared}, which belongs to '${id}'`);
    }
  }
}

/** Returns the extension that owns each operation in `next`, by operation id. Leaves out `id`, whose operations are about to change. */
export function operationOwners(id: string, next: AllRunning): Map<string, string> {
  const owners = new Map<string, string>();
  for (const running of next.values()) {
    if (running.extension === id) continue;
    for (const operation of running.draft.operations.keys()) owners.set(operation, running.extension);
  }
  return owners;
}
