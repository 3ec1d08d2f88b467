import { wordsOf } from '../../kernel/core/host/reserved.js';
import { builtinManifests } from '../catalog.js';

/** The first words of names that the platform has for itself: no bundle may have such an id. */
export function builtinWords(): string[] {
  return wordsOf(builtinManifests());
}
