import { type Database, lockName, type TransactionOptions } from '../../kernel/contract/index.js';
import { defineModels, type Models } from './models.js';
import { DeviceCodeStore } from './store/device-codes.js';
import { Directory } from './store/directory.js';
import { FailureStore } from './store/failures.js';
import { InvitationStore } from './store/invitations.js';
import { LoginStore } from './store/logins.js';
import { MemberStore } from './store/members.js';
import { PlaceStore } from './store/places.js';
import { ResetStore } from './store/resets.js';
import { TicketStore } from './store/tickets.js';
import { TokenStore } from './store/tokens.js';

/** Access to all tables of this extension. */
export interface Store {
  readonly members: MemberStore;
  readonly directory: Directory;
  readonly logins: LoginStore;
  readonly tokens: TokenStore;
  readonly tickets: TicketStore;
  readonly invitations: InvitationStore;
  readonly resets: ResetStore;
  readonly deviceCodes: DeviceCodeStore;
  readonly failures: FailureStore;
  readonly keys: Models['keys'];
  readonly places: PlaceStore;
  readonly settings: Models['settings'];
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a transaction; others with the same name wait, on every instance. */
  exclusive<T>(name: string, work: () => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Runs after the commit of the current transaction. */
  afterCommit(work: () => void): void;
}

export function openStore(db: Database): Store {
  const models = defineModels(db);
  return {
    members: new MemberStore(db, models.members),
    directory: new Directory(db, models.members),
    logins: new LoginStore(db, models.logins),
    tokens: new TokenStore(db, models.tokens),
    tickets: new TicketStore(db, models.tickets),
    invitations: new InvitationStore(db, models.invitations),
    resets: new ResetStore(db, models.resets),
    deviceCodes: new DeviceCodeStore(db, models.device_codes),
    failures: new FailureStore(db, models.failures),
    keys: models.keys,
    places: new PlaceStore(db, models.places),
    settings: models.settings,
    transaction: (work) => db.transaction(work),
    exclusive: (name, work, options) =>
      db.transaction(async () => {
        await lockName(db, `members:${name}`);
        return work();
      }, options),
    afterCommit: (work) => db.afterCommit(work),
  };
}
