import type { Database, TransactionOptions } from '../../kernel/contract/index.js';
import { Directory } from './store/directory.js';
import { FailureStore } from './store/failures.js';
import { KeyStore } from './store/keys.js';
import { LoginStore } from './store/logins.js';
import { MemberStore } from './store/members.js';
import { PlaceStore } from './store/places.js';
import { SettingsStore } from './store/settings.js';
import { TicketStore } from './store/tickets.js';
import { TokenStore } from './store/tokens.js';

/** All tables of the extension; this folder alone knows them. */
export interface Store {
  readonly members: MemberStore;
  readonly directory: Directory;
  readonly logins: LoginStore;
  readonly tokens: TokenStore;
  readonly tickets: TicketStore;
  readonly failures: FailureStore;
  readonly keys: KeyStore;
  readonly places: PlaceStore;
  readonly settings: SettingsStore;
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** A transaction beside which no other with the same name runs, on any instance. */
  exclusive<T>(name: string, work: () => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** After the commit of what runs here. */
  afterCommit(work: () => void): void;
}

export function openStore(db: Database): Store {
  return {
    members: new MemberStore(db),
    directory: new Directory(db),
    logins: new LoginStore(db),
    tokens: new TokenStore(db),
    tickets: new TicketStore(db),
    failures: new FailureStore(db),
    keys: new KeyStore(db),
    places: new PlaceStore(db),
    settings: new SettingsStore(db),
    transaction: (work) => db.transaction(work),
    exclusive: (name, work, options) =>
      db.transaction(async () => {
        // SQLite runs writing transactions one after the other anyway.
        if (db.dialect === 'postgres') await db.rows('SELECT pg_advisory_xact_lock(hashtext($1))', [`members:${name}`]);
        return work();
      }, options),
    afterCommit: (work) => db.afterCommit(work),
  };
}
