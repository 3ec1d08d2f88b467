import type { Clock } from '../../../kernel/contract/index.js';
import type { Post } from './post.js';

/** What a channel over HTTP is made of. */
export interface Parts {
  readonly post: Post;
  readonly clock: Clock;
  /** Hosts for which http is good enough, and which may stand in for a vendor's own. */
  readonly allowed: (host: string) => boolean;
}
