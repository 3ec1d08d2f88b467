import { toLabel } from '../../../kernel/contract/index.js';
import type { Asker, ImportedRoom, RoomState } from '../contract.js';
import type { NewParticipant } from '../store/rooms-sql.js';
import type { ImporterParts } from './importer.js';

type Members = ImportedRoom['members'];

/** A room with those of its members who exist. */
type Prepared = ImportedRoom & { created_at: string };

const max_members = 5_000;
const max_title_length = 200;
const max_topic_length = 500;

/** Rooms and conversations of exports. */
export class ImportedRooms {
  readonly #parts: Pick<ImporterParts, 'ports' | 'members' | 'targets' | 'rows'>;

  constructor(parts: Pick<ImporterParts, 'ports' | 'members' | 'targets' | 'rows'>) {
    this.#parts = parts;
  }

  /** Returns which rooms were imported before, and whether they are still there. */
  async find(source: string, ids: readonly string[]): Promise<RoomState[]> {
    if (ids.length === 0) return [];
    const known = await this.#parts.rows.find(source, 'room', ids);
    const there = new Set((await this.#parts.rows.sessions([...known.values()])).keys());
    return ids.map((id) => {
      const session_id = known.get(id);
      if (session_id === undefined) return { id, session_id: null, state: 'created' };
      return there.has(session_id) ? { id, session_id, state: 'known' } : { id, session_id: null, state: 'gone' };
    });
  }

  /** Opens rooms that were not imported before. They send no invitations. */
  async write(source: string, rooms: readonly ImportedRoom[], asker: Asker): Promise<RoomState[]> {
    const { rows } = this.#parts;
    const found = await this.find(
      source,
      rooms.map(({ id }) => id),
    );
    const made = new Map<string, string>();
    const states: RoomState[] = [];
    for (const [at, state] of found.entries()) {
      const room = rooms[at] as ImportedRoom;
      const before = made.get(room.id);
      if (state.state !== 'created') states.push(state);
      else if (before !== undefined) states.push({ ...state, session_id: before, state: 'known' });
      else {
        const session_id = await this.#open(room, asker);
        made.set(room.id, session_id);
        states.push({ ...state, session_id });
      }
    }
    await rows.add(source, 'room', made);
    return states;
  }

  async #open(room: ImportedRoom, asker: Asker): Promise<string> {
    const members = await this.#present(room.members);
    const prepared = { ...room, members, created_at: new Date(room.created_ms).toISOString() };
    const [first, second] = members;
    if (room.kind === 'pair' && first && second) return this.#pair(prepared, [first.member_id, second.member_id]);
    if ((room.kind === 'notes' || room.kind === 'ai') && first) return this.#own(prepared, first.member_id);
    return this.#room(prepared, asker);
  }

  /** Returns those of the members who exist, each once, owners first. */
  async #present(members: Members): Promise<Members> {
    const found = await this.#parts.members.byIds(members.map(({ member_id }) => member_id));
    const people = new Set(found.filter(({ is_virtual }) => !is_virtual).map(({ id }) => id));
    const once = new Map<number, Members[number]>();
    for (const member of members) {
      const known = once.get(member.member_id);
      if (people.has(member.member_id)) once.set(member.member_id, { ...member, owner: member.owner || known?.owner === true });
    }
    return [...once.values()].sort((one, other) => Number(other.owner) - Number(one.owner)).slice(0, max_members);
  }

  /** Opens a room. If nobody owned it, its first member does. One without members stays until somebody joins it. */
  async #room({ title, topic, visibility, created_at, members }: Prepared, asker: Asker): Promise<string> {
    const { rooms, membership, frames, newId } = this.#parts.ports;
    const id = newId();
    const name = toLabel(title, max_title_length) || 'Room';
    const created_by = members[0]?.member_id ?? asker.member_id;
    await rooms.create({ id, title: name, visibility, created_by, now: created_at });
    const given = toLabel(topic, max_topic_length);
    const room = await rooms.find(id);
    if (room && given !== '') await rooms.update(room, { topic: given }, created_at);
    const participants = members.map(
      ({ member_id, owner }, at): NewParticipant => ({ member_id, kind: 'person', role: owner || at === 0 ? 'owner' : 'member' }),
    );
    await rooms.add(id, participants, created_at);
    const [{ ids }, record] = [await membership.of(id), await rooms.record(id)];
    if (record) frames.session(ids, record);
    return id;
  }

  /** Returns the conversation of two people that their contact lists show. Opens one if they have none. */
  async #pair({ title, created_at }: Prepared, pair: [number, number]): Promise<string> {
    const { sessions, pairs, newId } = this.#parts.ports;
    const known = await pairs.hold(pair);
    if (known !== null) return known;
    const id = newId();
    const [created_by, partner] = pair;
    const given = { title: toLabel(title, max_title_length), target_type: 'member' as const, target_id: String(partner) };
    await sessions.create({ id, ...given, partner, created_by, now: created_at });
    await pairs.set(pair, id);
    return id;
  }

  /** Opens a person's notes, or a conversation with the default AI employee. */
  async #own({ kind, title, created_at }: Prepared, created_by: number): Promise<string> {
    const { sessions, newId } = this.#parts.ports;
    const id = newId();
    const target_type = kind === 'ai' ? ('ai' as const) : ('' as const);
    const contact = kind === 'ai' ? await this.#parts.targets.contact({ target_type, target_id: '' }) : undefined;
    const target_id = contact === undefined ? '' : String(contact);
    const name = toLabel(title, max_title_length);
    await sessions.create({ id, title: name, target_type, target_id, partner: undefined, created_by, now: created_at });
    return id;
  }
}
