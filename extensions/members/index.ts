import type { CheckResult, Cleaner, Context, Extension, SeatCounter } from '../../kernel/contract/index.js';
import { AccessTokens } from './access-tokens.js';
import { AccountLimit } from './account-limit.js';
import { Authentication } from './authentication.js';
import { codes } from './codes.js';
import type { Members, MembersEvents, MembersService, NodeGone, Seats, SendMail, VirtualDetails } from './contract.js';
import { openDeviceDoors } from './device-doors.js';
import { DeviceLogins } from './device-logins.js';
import { DeviceMarks } from './devices.js';
import { examples } from './examples.js';
import { FirstPassword } from './first-password.js';
import { ForgottenPasswords } from './forgotten-passwords.js';
import { handlersOf } from './handlers.js';
import { Invitations } from './invitations.js';
import { SigningKeys } from './keys.js';
import { LoginLimit } from './login-limit.js';
import { Logins } from './logins.js';
import { MemberSettingsService } from './member-settings.js';
import { migrations } from './migrations/index.js';
import { isPrivate } from './network.js';
import { operations } from './operations.js';
import { OwnEmail } from './own-email.js';
import { Passwords } from './passwords.js';
import { PluginMembers } from './plugin-members.js';
import { Post } from './post.js';
import { toRecord } from './record.js';
import { Revocation } from './revocation.js';
import { MemberRules } from './service.js';
import { Sessions } from './sessions.js';
import { readSettings } from './settings.js';
import { openStore, type Store } from './store.js';
import { Tickets } from './tickets.js';
import { Tokens } from './tokens.js';
import { VirtualMembers } from './virtual.js';

/** Checks whether another person could be added; undefined if seats are unlimited. */
function seatsCheck({ used, limit }: Seats): CheckResult | undefined {
  if (limit === 0) return undefined;
  const message = `${used} of ${limit} seats are taken`;
  if (used < limit) return { ok: true, message };
  const fix = `PLATFORM_SEATS=${used + 10} platform serve; or free one with: platform member list, and platform member delete <id>`;
  return { ok: false, message: `${message}: nobody can be added`, fix };
}

/** Limit of user names for one address; more than a household or a developer has. */
const min_shared_names = 10;

/**
 * Checks for an untrusted proxy: fails if many user names come from one private address while no proxy is trusted,
 * because everybody behind it would count as one client. Undefined if proxies are trusted.
 */
function proxiesCheck(found: readonly { address: string; names: number }[], trusted: readonly string[]): CheckResult | undefined {
  if (trusted.length > 0) return undefined;
  const proxy = found.find(({ address }) => isPrivate(address));
  if (!proxy) return { ok: true, message: 'No private address looks like a proxy of many members' };
  const { address, names } = proxy;
  return {
    ok: false,
    message: `Logins with ${names} user names came from the private address ${address}: if it is a proxy, everybody behind it shares one limit on failed logins`,
    fix: `PLATFORM_TRUSTED_PROXIES=${address} platform serve, if ${address} is a reverse proxy of yours that sets X-Forwarded-For`,
  };
}

/** Checks whether mails can have links; undefined without a mail server. */
function mailLinksCheck({ hasServer, isReady }: Post): CheckResult | undefined {
  if (!hasServer) return undefined;
  if (isReady) return { ok: true, message: 'Invitations and links for forgotten passwords can be sent by mail' };
  return {
    ok: false,
    message:
      'Neither invitations nor links for forgotten passwords are sent by mail, because the public address of the platform is not known',
    fix: 'PLATFORM_BASE_URL=https://work.example platform serve, with the address that people use',
  };
}

interface TokenCleanup {
  /** Deletes old rows; returns their number. */
  sweep(): Promise<number>;
}

/**
 * Returns the cleaners of growing tables: logins, tickets, invitations and links for forgotten passwords when they expire, personal tokens 30 days later, failed
 * logins after an hour (and beyond 100,000), addresses of logins after 90 days, keys once no token that they signed is
 * valid.
 */
function cleanersOf(stores: {
  logins: TokenCleanup;
  tickets: TokenCleanup;
  tokens: TokenCleanup;
  limit: TokenCleanup;
  keys: TokenCleanup;
  places: TokenCleanup;
  invitations: TokenCleanup;
  password_resets: TokenCleanup;
  device_codes: TokenCleanup;
}): Cleaner[] {
  const { limit, places, ...others } = stores;
  return Object.entries({ ...others, failed_logins: limit, login_places: places }).map(([name, each]) => ({
    name,
    clean: () => each.sweep(),
  }));
}

const cleanerSlot = 'maintenance.cleanup';

async function activate(ctx: Context<Members>): Promise<void> {
  const { clock, log } = ctx;
  const settings = readSettings(ctx.config);
  const store = openStore(ctx.db);
  const passwords = new Passwords();
  const first = new FirstPassword({ store, passwords, settings, clock, data_dir: ctx.dataDir });
  const keys = new SigningKeys({ store, secrets: ctx.secrets, clock, access_ttl_s: settings.access_ttl_s });
  await Promise.all([first.prepare(), keys.prepare(), store.members.fillNameKeys()]);

  const track = (work: Promise<unknown>) => ctx.track(work);
  const about = (id: number) => ctx.about(id);
  const identify = ({ id, username }: { id: number; username: string }, { proven }: { proven: boolean }) => {
    about(id);
    ctx.identify({ member_id: proven ? id : 0, username });
  };
  const revocation = new Revocation({ store, bus: ctx.bus, log, track, disconnect: (ended) => ctx.disconnect(ended) });
  ctx.own(await revocation.listen());
  const access = new AccessTokens(keys, clock, settings.access_ttl_s);
  const tickets = new Tickets(store, clock);
  const tokens = new Tokens({ store, revocation, clock, log, track, about });
  revocation.onRevoked(({ token_id }) => {
    if (token_id === undefined) track(first.tidy().catch((error: unknown) => log.warn(String(error))));
  });
  const limit = new LoginLimit(store, clock);
  const devices = new DeviceMarks(ctx.secrets, clock);
  const logins = new Logins({ store, passwords, limit, devices, access, revocation, clock, log, track, about: identify });
  const sessions = new Sessions({ store, revocation, clock });
  const authentication = new Authentication({ store, access, tokens, tickets, logins, clock });
  revocation.onRevoked(({ member_id, token_id }) => authentication.forget(member_id, token_id));
  ctx.contribute('authenticator', authentication);
  const rules = new MemberRules({ store, passwords, revocation, settings, ctx });
  const settingsOf = new MemberSettingsService(store);
  const virtuals = new VirtualMembers({ store, rules, slot: () => ctx.slot<VirtualDetails>('members.virtual') });
  ctx.examples(examples);
  const ways = waysIn(ctx, { store, passwords, revocation, logins, rules, tokens, settings: settingsOf, address: settings.address });
  ctx.expose(operations, handlersOf({ logins, sessions, tickets, tokens, keys, rules, virtuals, settings: settingsOf, ...ways }), codes);
  ctx.listen<MembersEvents['members.deleted']>('members.deleted', ({ payload }) => ctx.presence.forget(payload.id));
  ctx.take<NodeGone>('nodes.deleted', ({ id }) => rules.unbind(id));
  ctx.contribute('plugins.member', new PluginMembers({ store, rules }));
  ctx.provide(serviceOf({ rules, virtuals, first, settings: settingsOf }));
  ctx.check('signing_key', async () => {
    await keys.signing();
    return { ok: true, message: 'The signing key of access tokens exists and can be opened' };
  });
  ctx.check('proxies', async () => proxiesCheck(await limit.sharedAddresses(min_shared_names), settings.trusted_proxies));
  ctx.check('seats', async () => seatsCheck(await rules.seats()));
  ctx.metric('people', 'Members who are people', async () => (await rules.seats()).used);
  ctx.metric('ai_employees', 'Members who are AI employees', async () => (await rules.seats()).ai_employees);
  ctx.contribute('seats', rules satisfies SeatCounter);
  for (const cleaner of cleanersOf({
    logins,
    tickets,
    tokens,
    limit,
    keys,
    places: { sweep: () => limit.sweepPlaces() },
    invitations: ways.invitations,
    password_resets: ways.forgotten,
    device_codes: ways.devices,
  }))
    ctx.contribute(cleanerSlot, cleaner);
}

interface WaysInParts {
  store: Store;
  passwords: Passwords;
  revocation: Revocation;
  logins: Logins;
  rules: MemberRules;
  tokens: Tokens;
  settings: MemberSettingsService;
  address: string;
}

/** Creates the ways in besides a password: invitations, links for forgotten passwords, and codes of programs. */
function waysIn(ctx: Context<Members>, { store, passwords, revocation, logins, rules, tokens, settings, address }: WaysInParts) {
  const { clock, log } = ctx;
  const post = new Post({ slot: () => ctx.slot<SendMail>('members.mail'), address, log });
  const devices = new DeviceLogins({ store, tokens, limit: new AccountLimit(store, clock), ctx });
  openDeviceDoors(ctx, devices, address);
  ctx.check('mail_links', async () => mailLinksCheck(post));
  return {
    ownEmail: new OwnEmail({ store, logins, rules }),
    invitations: new Invitations({ store, rules, settings, post, ctx }),
    forgotten: new ForgottenPasswords({ store, passwords, revocation, settings, post, ctx }),
    devices,
  };
}

interface ServiceParts {
  rules: MemberRules;
  virtuals: VirtualMembers;
  first: FirstPassword;
  settings: MemberSettingsService;
}

function serviceOf({ rules, virtuals, first, settings }: ServiceParts): MembersService {
  return {
    get: (id) => rules.get(id),
    require: (id) => rules.require(id),
    byIds: (ids) => rules.byIds(ids),
    list: async (query) => {
      const page = await rules.list(query);
      return { ...page, items: page.items.map(toRecord) };
    },
    byName: (query) => rules.byName(query),
    named: (usernames) => rules.named(usernames),
    matching: (ids, keyword) => rules.matching(ids, keyword),
    defaultAdmin: () => rules.defaultAdmin(),
    settingsOf: (member_id) => settings.of(member_id),
    admins: () => rules.admins(),
    createInactive: (person) => rules.createInactive(person),
    createVirtual: (virtual) => virtuals.create(virtual),
    virtuals: (ids) => virtuals.list(ids),
    virtual: (id) => virtuals.get(id),
    employee: (id) => virtuals.record(id),
    updateVirtual: (id, change) => virtuals.update(id, change),
    caller: (member_id, door) => rules.caller(member_id, door),
    firstPassword: () => first.read(),
  };
}

export default { migrations, activate } satisfies Extension<Members>;
