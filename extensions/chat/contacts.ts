import type { Member, MembersService, VirtualMember } from '../members/contract.js';
import { invalidInput } from './codes.js';
import type { Asker, Contact, ContactQuery, Session, Started, StartInput } from './contract.js';
import { latestConversation } from './conversations.js';
import type { Ports } from './ports.js';
import type { Sender } from './sender.js';
import type { PairedSession } from './store/pairs-sql.js';
import { ofPlugin } from './targets.js';

interface ContactsParts {
  ports: Ports;
  members: MembersService;
  sender: Sender;
  /** Returns the presence of members. */
  presence: (ids: readonly number[]) => Promise<ReadonlyMap<number, { status: Contact['presence'] }>>;
  /** Returns the states of nodes; empty if there are none. */
  nodes: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
}

/** Default limit: all. */
const all = 2_147_483_647;

/** Contacts of a member: people and AI employees, and the session with each. */
export class Contacts {
  readonly #parts: ContactsParts;

  constructor(parts: ContactsParts) {
    this.#parts = parts;
  }

  /** Lists contacts: those of the latest conversations first, then the others by name. */
  async list({ keyword = '', limit = all, offset }: ContactQuery, member_id: number): Promise<Contact[]> {
    const { ports, members } = this.#parts;
    const paired = await ports.pairs.sessionsOf(member_id);
    const talked = await this.#withMessages(paired, keyword);
    const first = talked.slice(offset, offset + limit);
    if (first.length === limit) return this.#completed(first);
    const sessions = new Map(paired.map((session) => [session.contact_id, session]));
    const others = await members.byName({
      keyword,
      except: [member_id, ...talked.map(({ member }) => member.id)],
      limit: limit - first.length,
      offset: Math.max(0, offset - talked.length),
    });
    return this.#completed([...first, ...others.map((member) => ({ member, session: sessions.get(member.id) }))]);
  }

  /**
   * Returns the session with a contact, the same for both members; of several with a person the latest active one. With `new` it opens
   * another one. Fails with `invalid_input` for oneself, for an unknown member, and for a plugin's own member.
   */
  async start({ member_id: contact_id, new: another = false }: StartInput, asker: Asker): Promise<Started> {
    const { ports, members } = this.#parts;
    const { member_id } = asker;
    if (contact_id === member_id)
      throw invalid("You can't be your own contact; for notes to yourself open a session with an empty 'target_type'");
    return ports.db.transaction(async () => {
      const contact = await members.get(contact_id);
      if (!contact) throw invalid(`'member_id' must be the id of a member, but there is no member ${contact_id}`);
      if (contact.is_virtual && !(await members.employee(contact_id))) throw invalid(ofPlugin(contact));
      if (another) return this.#open(contact, asker);
      if (!contact.is_virtual) {
        const session = await latestConversation(ports, { member_id, partner_id: contact_id });
        return session ? { session_id: session.id, created: false, session } : this.#open(contact, asker);
      }
      const session_id = (await ports.pairs.hold([member_id, contact_id])) ?? (await this.#adopt(contact, member_id));
      if (session_id !== null) return this.#existing(session_id, contact, asker);
      return this.#open(contact, asker);
    });
  }

  /** Finds another session with an AI employee after the one registered for the pair was deleted. */
  async #adopt({ id }: Member, member_id: number): Promise<string | null> {
    const { sessions, pairs } = this.#parts.ports;
    const found = await sessions.latestWith(member_id, { target_type: 'ai', target_id: String(id) });
    if (found !== undefined) await pairs.set([member_id, id], found);
    return found ?? null;
  }

  async #existing(session_id: string, contact: Member, asker: Asker): Promise<Started> {
    const { sessions } = this.#parts.ports;
    await sessions.unhide(session_id, asker.member_id);
    const session = await sessions.get(session_id, asker.member_id);
    return session ? { session_id, created: false, session } : this.#open(contact, asker);
  }

  async #open(contact: Member, asker: Asker): Promise<Started> {
    const { ports, members, sender } = this.#parts;
    const own = (await members.get(asker.member_id))?.nickname ?? '';
    const partner = contact.is_virtual
      ? { title: contact.nickname, target_type: 'ai' as const }
      : { title: `${own}, ${contact.nickname}`, target_type: 'member' as const };
    const session: Session = await sender.open({ ...partner, target_id: contact.id }, asker);
    await ports.pairs.set([asker.member_id, contact.id], session.id);
    return { session_id: session.id, created: true, session };
  }

  /** Returns contacts with messages, the latest first. */
  async #withMessages(paired: readonly PairedSession[], keyword: string): Promise<Shown[]> {
    const { members } = this.#parts;
    const sessions = new Map(paired.filter((one) => one.last_message_at !== null).map((session) => [session.contact_id, session]));
    const named = keyword === '' ? undefined : await members.matching([...sessions.keys()], keyword);
    const found = await members.byIds([...sessions.keys()].filter((id) => named?.has(id) ?? true));
    const virtuals = found.flatMap(({ id, is_virtual }) => (is_virtual ? id : []));
    const employees = new Set(virtuals.length > 0 ? (await members.virtuals(virtuals)).map(({ id }) => id) : []);
    // Excludes plugins' own members, which answer nobody.
    const contacts = found.filter(({ id, is_virtual }) => !is_virtual || employees.has(id));
    return contacts.map((member) => ({ member, session: sessions.get(member.id) })).sort(latestFirst);
  }

  async #completed(shown: readonly Shown[]): Promise<Contact[]> {
    const { members, presence, nodes } = this.#parts;
    const node_ids = shown.flatMap(({ member }) => member.remote_node_id ?? []);
    const virtual_ids = shown.flatMap(({ member }) => (member.is_virtual ? member.id : []));
    const [virtuals, present, states] = await Promise.all([
      virtual_ids.length > 0 ? members.virtuals(virtual_ids) : [],
      presence(shown.map(({ member }) => member.id)),
      nodes(node_ids),
    ]);
    const employees = new Map(virtuals.map((employee: VirtualMember) => [employee.id, employee]));
    return shown.map(({ member, session }) => ({
      member_id: member.id,
      username: member.username,
      nickname: member.nickname,
      is_virtual: member.is_virtual,
      role: member.role,
      post: employees.get(member.id)?.post ?? '',
      oversight: employees.get(member.id)?.oversight ?? false,
      presence: member.is_virtual && member.remote_node_id === null ? 'online' : (present.get(member.id)?.status ?? 'offline'),
      node_status: member.remote_node_id === null ? null : (states.get(member.remote_node_id) ?? null),
      session_id: session?.session_id ?? null,
      last_message_at: session?.last_message_at ?? null,
      unread_count: session?.unread_count ?? 0,
    }));
  }
}

interface Shown {
  member: Member;
  session: PairedSession | undefined;
}

function latestFirst(a: Shown, b: Shown): number {
  const [one, other] = [a.session?.last_message_at ?? '', b.session?.last_message_at ?? ''];
  if (one !== other) return one < other ? 1 : -1;
  return a.member.nickname.localeCompare(b.member.nickname) || a.member.id - b.member.id;
}

function invalid(message: string): Error {
  return invalidInput('member_id', message);
}
