import type { Clock } from '../../../kernel/contract/index.js';
import type { Post } from './post.js';

/** Dependencies of HTTP channels. */
export interface ChannelParts {
  readonly post: Post;
  readonly clock: Clock;
  /** Whether a host may be called over http and may replace a vendor's own host. */
  readonly allowed: (host: string) => boolean;
}
