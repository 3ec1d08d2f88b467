import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Caller, type Context, fail as coreFail, Limiter } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Members } from './contract.js';
import { resetMail } from './mail-texts.js';
import type { MemberSettingsService } from './member-settings.js';
import type { ResetRow } from './models.js';
import { clientNetworkOf } from './network.js';
import { digest, newSecret } from './opaque.js';
import { assertPassword } from './password-text.js';
import type { Passwords } from './passwords.js';
import type { Post } from './post.js';
import type { Revocation } from './revocation.js';
import type { StoredMember } from './store/members.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';
import { isUsername } from './username.js';

const ttl_ms = 30 * 60_000;
/** Limit of valid links of one member, so that nobody fills a mailbox. */
const max_links = 3;
/** Limits of requests, in this process: of one client in a minute, and of those that run or wait. */
const max_per_client = 10;
const window_ms = 60_000;
const max_running = 4;
const max_waiting = 200;
const max_clients = 10_000;
/** Work for a request begins after its answer: otherwise the answer could wait for it on a busy database. */
const delay_ms = 300;

interface Parts {
  store: Store;
  passwords: Passwords;
  revocation: Revocation;
  settings: MemberSettingsService;
  post: Post;
  ctx: Pick<Context<Members>, 'about' | 'clock' | 'identify' | 'log' | 'track'>;
}

/**
 * Replaces forgotten passwords by links that are mailed. A request is answered before the account is looked up, so that neither the answer
 * nor its time tells whether there is one.
 */
export class ForgottenPasswords {
  readonly #parts: Parts;
  readonly #limiter = new Limiter(max_running);
  readonly #clients = new LRUCache<string, { since: number; count: number }>({ max: max_clients });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether links can be mailed. */
  get isAvailable(): boolean {
    return this.#parts.post.isReady;
  }

  /** Mails a link to the member with a user name or an e-mail address, if there is one with an address, after the answer. */
  request({ username }: { username: string }, { address }: Caller): { requested: true } {
    const { ctx } = this.#parts;
    if (!this.isAvailable) throw fail('mail_not_set_up', 'This platform sends no mail; ask an administrator for a new password');
    this.#countRequest(address);
    const work = this.#limiter.run(() => this.#mailTo(username));
    ctx.track(work.catch((err: unknown) => ctx.log.warn('Could not mail a link for a forgotten password', { err })));
    return { requested: true };
  }

  /** Sets the password of a link's member and revokes all its tokens. If several use one link at once, one succeeds. */
  async reset({ token, new_password }: { token: string; new_password: string }): Promise<{ username: string }> {
    const { store, passwords, revocation, ctx } = this.#parts;
    const hash = digest(token);
    await this.#memberOf(await store.resets.byHash(hash, ctx.clock.iso()));
    assertPassword(new_password, 'new_password');
    const password_hash = await passwords.hash(new_password);
    const { id, username } = await store.transaction(async () => {
      const member = await this.#memberOf(await store.resets.take(hash, ctx.clock.iso()));
      ctx.about(member.id);
      ctx.identify({ member_id: member.id, username: member.username });
      await store.members.setPassword(member.id, password_hash);
      await store.resets.deleteOf(member.id);
      await revocation.revokeAll(member.id);
      return member;
    });
    ctx.log.info('A forgotten password was replaced', { member_id: id });
    return { username };
  }

  sweep(): Promise<number> {
    return this.#parts.store.resets.sweep(this.#parts.ctx.clock.iso());
  }

  async #mailTo(name: string): Promise<void> {
    const { store, post, settings, ctx } = this.#parts;
    await pause(delay_ms);
    const member = await this.#find(name.normalize('NFKC').trim());
    if (!member?.active || member.is_virtual || member.email === null) return;
    const { id: member_id, version, email } = member;
    const token = newSecret();
    const isNew = await store.exclusive(
      `reset:${member_id}`,
      async () => {
        if ((await store.resets.countOf(member_id, ctx.clock.iso())) >= max_links) return false;
        await store.resets.insert({ token_hash: digest(token), member_id, version, expires_at: isoAfter(ctx.clock.now(), ttl_ms) });
        return true;
      },
      { audited: false },
    );
    if (!isNew) return ctx.log.info('A forgotten password was reported too often', { member_id });
    const { language } = await settings.of(member_id);
    await post.send({
      address: email,
      ...resetMail(language, { username: member.username, link: post.linkTo(`/reset-password/${token}`) }),
    });
  }

  async #find(name: string): Promise<StoredMember | undefined> {
    const { members } = this.#parts.store;
    if (name.includes('@')) return members.byEmail(name);
    return isUsername(name) ? (await members.named([name]))[0] : undefined;
  }

  /** Returns the member of a link, which it locks in a transaction. Fails with `reset_not_found` if the link is not valid or the member has changed since. */
  async #memberOf(link: ResetRow | undefined): Promise<StoredMember> {
    const member = link && (await this.#parts.store.members.lock(link.member_id));
    if (!member?.active || member.version !== link?.version)
      throw fail('reset_not_found', 'The link is not valid: it was used, is older than 30 minutes, or the account has changed since');
    return member;
  }

  #countRequest(address: string): void {
    const { network } = clientNetworkOf(address);
    const now = this.#parts.ctx.clock.now();
    const before = this.#clients.get(network);
    const current = before && now - before.since < window_ms ? before : { since: now, count: 0 };
    if (current.count >= max_per_client || this.#limiter.waiting >= max_waiting) {
      const retry_after = Math.max(1, Math.ceil((current.since + window_ms - now) / 1_000));
      throw coreFail('rate_limited', `Too many requests; try again in ${retry_after} seconds`, { retry_after });
    }
    this.#clients.set(network, { ...current, count: current.count + 1 });
  }
}
