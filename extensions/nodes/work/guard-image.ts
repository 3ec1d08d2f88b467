import type { Log } from '../../../kernel/contract/index.js';
import type { NodeContainer } from './node-container.js';

/** Image of containers that work on another container from outside. */
export interface GuardImage {
  reference: string;
  /** Whether it is the configured image: a node's own image can't be trusted. */
  trusted: boolean;
}

export interface GuardImageParts {
  /** The setting `nodes.guard_image`. */
  image: string;
  /** Pulls an image unless the engine has it. */
  pull: (place: NodeContainer, image: string, signal: AbortSignal) => Promise<void>;
  log: Log;
}

const pull_ms = 60_000;

/** Returns the configured image, or the node's own if the engine can't pull it. */
export async function guardImageOf(place: NodeContainer, { image, pull, log }: GuardImageParts): Promise<GuardImage> {
  try {
    await pull(place, image, AbortSignal.timeout(pull_ms));
    return { reference: image, trusted: true };
  } catch (fault) {
    log.warn(`The image '${image}' (nodes.guard_image) is unavailable; the node's own image is used`, { node: place.node.id, err: fault });
    return { reference: place.node.config.image, trusted: false };
  }
}
