import { reservedWords } from '../../kernel/core/host/reserved-ids.js';
import { builtinManifests } from '../catalog.js';

/** Returns the first words of names reserved for the platform: no bundle may use them in its id. */
export function builtinWords(): string[] {
  return reservedWords(builtinManifests());
}
