import type { Log } from '../../../kernel/contract/index.js';
import type { Place } from './place.js';

/** The image of what is done at a container from outside of it. */
export interface GuardImage {
  reference: string;
  /** Whether it is the setting's: a node's own image may say what it likes. */
  trusted: boolean;
}

export interface GuardImageParts {
  /** The setting `nodes.guard_image`. */
  image: string;
  /** Fetches an image unless the engine has it. */
  pull: (place: Place, image: string, signal: AbortSignal) => Promise<void>;
  log: Log;
}

const pull_ms = 60_000;

/** The setting's, or the node's own where the engine can't have that. */
export async function guardImageOf(place: Place, { image, pull, log }: GuardImageParts): Promise<GuardImage> {
  try {
    await pull(place, image, AbortSignal.timeout(pull_ms));
    return { reference: image, trusted: true };
  } catch (fault) {
    log.warn(`The image '${image}' (nodes.guard_image) is unavailable; the node's own image is used`, { node: place.node.id, err: fault });
    return { reference: place.node.config.image, trusted: false };
  }
}
