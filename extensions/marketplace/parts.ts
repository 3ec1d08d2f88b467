import type { Clock, Context, Database, Extensions } from '../../kernel/contract/index.js';
import type { BundleStore } from './bundle-store.js';
import type { Marketplace } from './contract.js';
import type { ExtensionIds } from './ids.js';
import type { Importer } from './importer.js';
import type { Lookup } from './lookup.js';
import type { Trust } from './signatures/trust.js';
import type { NewestOf } from './sources/newest.js';
import type { ExtensionStore } from './store/extensions.js';
import type { Searches } from './store/searches-sql.js';
import type { VersionStore } from './store/versions.js';
import type { Upstream } from './upstream.js';

/** Parts of the marketplace. Each class picks the ones it uses. */
export interface Parts {
  db: Database;
  clock: Clock;
  /** The kernel's installer: checks bundles, verifies signatures, installs and removes. */
  installer: Extensions;
  extensions: ExtensionStore;
  versions: VersionStore;
  searches: Searches;
  bundles: BundleStore;
  ids: ExtensionIds;
  trust: Trust;
  upstream: Upstream;
  newest: NewestOf;
  lookup: Lookup;
  importing: Importer;
  emit: Context<Marketplace>['emit'];
  /** Names the subject of a call in the audit trail, because its path doesn't. */
  about: (what: string) => void;
  /** Returns the installed versions by id. */
  installed: () => Promise<ReadonlyMap<string, string>>;
  /** Returns a member's user name; fails if there is none. */
  usernameOf: (member_id: number) => Promise<string>;
  /** Returns the marketplace's folder. */
  folder: () => Promise<string>;
}
