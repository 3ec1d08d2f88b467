import type { Handlers } from '../../kernel/contract/index.js';
import type { MarketplaceApi } from './contract.js';
import type { DetailService } from './detail-service.js';
import type { InstallService } from './install-service.js';
import type { PublishService } from './publish-service.js';
import type { ReviewService } from './review-service.js';
import type { SearchService } from './search-service.js';
import type { Trust } from './signatures/trust.js';

interface Parts {
  searching: SearchService;
  details: DetailService;
  publish: PublishService;
  installing: InstallService;
  reviewing: ReviewService;
  trust: Trust;
  /** Names the extension in the audit trail, because the operation's path doesn't. */
  about: (id: string) => void;
}

/** Maps each operation to its function. */
export function handlersOf({ searching, details, publish, installing, reviewing, trust, about }: Parts): Handlers<MarketplaceApi> {
  return {
    'marketplace.search': (query, { signal }) => searching.search(query, signal),
    'marketplace.installed': () => installing.installed(),
    'marketplace.get': ({ id, upstream }, { signal }) => details.extension(id, { upstream, signal }),
    'marketplace.version': ({ upstream, ...name }, { caller, signal }) => details.version(name, caller, { upstream, signal }),
    'marketplace.download': (name, { caller }) => details.zip(name, caller),
    'marketplace.publish': (bundle, { caller, signal }) => publish.publish(bundle, caller, signal),
    'marketplace.install': (input, call) => {
      about(input.id);
      return installing.install(input, call);
    },
    'marketplace.uninstall': ({ id, purge }) => installing.uninstall(id, purge),
    'marketplace.reviews': (query) => reviewing.page(query),
    'marketplace.review': (name) => reviewing.review(name),
    'marketplace.approve': (approval, { caller }) => reviewing.approve(approval, caller),
    'marketplace.reject': ({ reason, ...name }, { caller }) => reviewing.reject(name, reason, caller),
    'marketplace.yank': ({ reason, ...name }, { caller }) => reviewing.yank(name, reason, caller),
    'marketplace.transfer': ({ id, member_id }) => reviewing.transfer(id, member_id),
    'marketplace.trusted_keys': () => trust.list(),
    'marketplace.trust_key': (key, { caller }) => trust.add(key, caller),
    'marketplace.distrust_key': ({ id }) => trust.remove(id),
  };
}
