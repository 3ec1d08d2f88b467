import { type Call, type Caller, type Context, fail as coreFail } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type {
  AcceptedInvitation,
  CreatedInvitation,
  Invitation,
  Member,
  Members,
  NewInvitation,
  OpenedInvitation,
  RoomsToInvite,
} from './contract.js';
import { invitationMail } from './mail-texts.js';
import type { MemberSettingsService } from './member-settings.js';
import { digest, newSecret } from './opaque.js';
import type { Post } from './post.js';
import { toFullRecord } from './record.js';
import { type MemberRules, members_lock } from './service.js';
import type { StoredInvitation } from './store/invitations.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

const ttl_ms = 7 * 24 * 3_600_000;
const max_open = 1_000;

interface Parts {
  store: Store;
  rules: MemberRules;
  settings: MemberSettingsService;
  post: Post;
  ctx: Pick<Context<Members>, 'about' | 'clock' | 'emit' | 'identify' | 'slot'>;
}

/** Invites people by links that work once. Only a link's hash is stored. */
export class Invitations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(): Promise<Invitation[]> {
    const { store, ctx } = this.#parts;
    return (await store.invitations.valid(ctx.clock.iso())).map(toInvitation);
  }

  async get(id: number): Promise<Invitation> {
    const { store, ctx } = this.#parts;
    const found = await store.invitations.byId(id, ctx.clock.iso());
    if (!found) throw unknownInvitation();
    return toInvitation(found);
  }

  /** Creates an invitation, and mails its link after the commit. */
  async create({ email = null, role = 'member', room_ids = [] }: NewInvitation, { caller }: Call): Promise<CreatedInvitation> {
    const { store, rules, ctx, post } = this.#parts;
    await this.#checkRooms(room_ids, caller);
    const token = newSecret();
    const now = ctx.clock.now();
    const expires_at = isoAfter(now, ttl_ms);
    const row = { email, role, room_ids, invited_by: caller.member_id, created_at: ctx.clock.iso(), expires_at };
    const id = await store.exclusive(members_lock, async () => {
      const inviter = await store.members.byId(caller.member_id);
      if (inviter?.role !== 'admin' || !inviter.active) throw coreFail('forbidden', 'Only administrators invite people');
      if (email !== null) await rules.checkEmailFree(email, 0);
      if ((await store.invitations.count(ctx.clock.iso())) >= max_open)
        throw fail('invitation_limit_reached', `${max_open} invitations are open; withdraw one that is no longer needed`);
      const created = await store.invitations.insert({ ...row, token_hash: digest(token) });
      ctx.about(created);
      return created;
    });
    const link = post.linkTo(`/invitation/${token}`);
    const mail = await this.#mail({ email, link }, caller);
    return { ...toInvitation({ id, ...row }), token, link, ...mail };
  }

  async delete(id: number): Promise<undefined> {
    if (!(await this.#parts.store.invitations.delete(id))) throw unknownInvitation();
  }

  /** Returns the invitation of a link. Fails with `invitation_not_found` also if it was used, withdrawn or has expired. */
  async open(token: string): Promise<OpenedInvitation> {
    const { email, role, invited_by, expires_at } = await this.#valid(token);
    const inviter = await this.#parts.rules.stored(invited_by);
    return { email, role, invited_by: inviter.nickname, expires_at };
  }

  /** Adds the person. If several accept one link at once, one of them is added. */
  async accept({ token, username, nickname, password }: AcceptedInvitation): Promise<Member> {
    const { store, rules, ctx } = this.#parts;
    await this.#valid(token);
    const person = await rules.personRow({ username, password, ...(nickname !== undefined && { nickname }) });
    const member = await store.transaction(async () => {
      let rooms: { room_ids: string[]; invited_by: number } | undefined;
      const added = await rules.insert(async () => {
        const taken = await store.invitations.take(digest(token), ctx.clock.iso());
        if (!taken) throw unknownInvitation();
        const { email, role, room_ids, invited_by } = taken;
        rooms = { room_ids, invited_by };
        const isFree = email !== null && (await store.members.byEmail(email)) === undefined;
        return { ...person, role, email: isFree ? email : null };
      });
      ctx.identify({ member_id: added.id, username: added.username });
      if (rooms && rooms.room_ids.length > 0) await ctx.emit('members.invited', { id: added.id, ...rooms });
      return added;
    });
    return toFullRecord(member);
  }

  sweep(): Promise<number> {
    return this.#parts.store.invitations.sweep(this.#parts.ctx.clock.iso());
  }

  async #valid(token: string): Promise<StoredInvitation> {
    const { store, ctx } = this.#parts;
    const found = await store.invitations.byHash(digest(token), ctx.clock.iso());
    if (!found) throw unknownInvitation();
    return found;
  }

  async #checkRooms(room_ids: readonly string[], { member_id }: Caller): Promise<void> {
    if (room_ids.length === 0) return;
    const [check] = this.#parts.ctx.slot<RoomsToInvite>('members.rooms');
    const allowed = new Set(check ? await check.value(room_ids, member_id) : []);
    const refused = room_ids.find((id) => !allowed.has(id));
    if (refused === undefined) return;
    const message = `You can't add people to a room ${refused}: it must be open, or yours`;
    throw coreFail('invalid_input', message, { details: [{ path: 'room_ids', message }] });
  }

  async #mail(
    { email, link }: { email: string | null; link: string },
    { member_id }: Caller,
  ): Promise<Pick<CreatedInvitation, 'mailed' | 'mail_error'>> {
    const { post, rules, settings } = this.#parts;
    if (email === null || !post.hasServer) return { mailed: false, mail_error: null };
    if (!post.isReady) return { mailed: false, mail_error: "The link can't be mailed, because PLATFORM_BASE_URL is not set" };
    const [{ nickname }, { language }] = await Promise.all([rules.stored(member_id), settings.of(member_id)]);
    const fault = await post.send({ address: email, ...invitationMail(language, { inviter: nickname, link }) });
    return { mailed: fault === undefined, mail_error: fault ?? null };
  }
}

function toInvitation({ id, email, role, room_ids, invited_by, created_at, expires_at }: StoredInvitation): Invitation {
  return { id, email, role, room_ids, invited_by, created_at, expires_at };
}

function unknownInvitation() {
  return fail('invitation_not_found', 'There is no such invitation: it was used or withdrawn, has expired, or never existed');
}
