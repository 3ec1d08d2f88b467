import type { Manifest } from '../../contract/manifest.js';
import { foreignManifest } from './foreign-manifest-schema.js';
import { shapeFaults } from './json-shape.js';
import { assertNone, parseJson, validated } from './manifest.js';
import { contributionFaults } from './manifest-contributions.js';

/**
 * Checks the text of a third party's manifest: size, depth, keys, and limits of its contributions. Fills in a plugin's `claims`.
 *
 * @throws `manifest_invalid` with all faults and their paths
 */
export function parseForeignManifest(text: string): Manifest {
  const data = parseJson(text);
  const { value: manifest, faults } = validated(data, foreignManifest);
  assertNone([...shapeFaults(data), ...faults]);
  assertNone(contributionFaults(manifest));
  if (manifest.type === 'plugin') return { ...manifest, claims: [`/api/x/${manifest.id}`] };
  const { main: _none, claims: _neither, ...skill } = manifest;
  return skill;
}
