import type { Clock, Context, Database, Extensions } from '../../kernel/contract/index.js';
import type { BundleShelf } from './bundle-shelf.js';
import type { Marketplace } from './contract.js';
import type { Ids } from './ids.js';
import type { Importing } from './importing.js';
import type { Lookup } from './lookup.js';
import type { Trust } from './signatures/trust.js';
import type { NewestOf } from './sources/newest.js';
import type { ExtensionStore } from './store/extensions.js';
import type { Searches } from './store/searches-sql.js';
import type { VersionStore } from './store/versions.js';
import type { Upstream } from './upstream.js';

/** The parts of the marketplace. Each names those that it works with. */
export interface Parts {
  db: Database;
  clock: Clock;
  /** The kernel's: checks bundles, proves signatures, installs and removes. */
  installer: Extensions;
  extensions: ExtensionStore;
  versions: VersionStore;
  searches: Searches;
  shelf: BundleShelf;
  ids: Ids;
  trust: Trust;
  upstream: Upstream;
  newest: NewestOf;
  lookup: Lookup;
  importing: Importing;
  emit: Context<Marketplace>['emit'];
  /** Tells the audit trail what a call is about, which its path doesn't say. */
  about: (what: string) => void;
  /** The versions that are installed, by id. */
  installed: () => Promise<ReadonlyMap<string, string>>;
  /** The user name of a member; fails where there is none. */
  usernameOf: (member_id: number) => Promise<string>;
  /** A folder of the marketplace's own. */
  folder: () => Promise<string>;
}
