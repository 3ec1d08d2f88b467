import { boundedId } from './ids.js';
import { firstText, isObject, type Json, textOf, textsOf } from './json.js';
import type { Remarks } from './remarks.js';
import type { Times } from './times.js';
import type { ExportedPerson, ExportedRoom } from './types.js';

/** Lists of conversations in an export, with the kind of those in it. */
export const lists = { 'channels.json': 'public', 'groups.json': 'private', 'mpims.json': 'group', 'dms.json': 'direct' } as const;
type Kind = (typeof lists)[keyof typeof lists];

export interface SlackRoom {
  /** Id of Slack. */
  slack_id: string;
  /** Names that its folder may have. */
  folders: readonly string[];
  room: ExportedRoom;
}

/** People and conversations of a Slack export. */
export class SlackDirectory {
  readonly rooms: SlackRoom[] = [];
  readonly #people = new Map<string, ExportedPerson>();
  readonly #bots = new Map<string, string>();
  readonly #remarks: Remarks;
  readonly #times: Times;
  readonly #now_ms: number;

  constructor({ remarks, times, now_ms }: { remarks: Remarks; times: Times; now_ms: number }) {
    this.#remarks = remarks;
    this.#times = times;
    this.#now_ms = now_ms;
  }

  get people(): ExportedPerson[] {
    return [...this.#people.values()];
  }

  user(user: Json): void {
    const id = textOf(user.id);
    const profile = isObject(user.profile) ? user.profile : {};
    const nickname = firstText(profile.display_name, profile.real_name, user.real_name, user.name, id);
    if (id === '' || this.#people.has(id)) {
      this.#remarks.add('users without an id, or that occur twice, were left out', nickname);
      return;
    }
    if (user.is_bot === true || id === 'USLACKBOT') this.#bots.set(id, nickname);
    else this.#people.set(id, { id, username: firstText(user.name, nickname), nickname });
  }

  isPerson(id: string): boolean {
    return this.#people.has(id);
  }

  /** Returns the name of a bot; undefined if there is none with this id. */
  botName(id: string): string | undefined {
    return this.#bots.get(id);
  }

  /** Adds a conversation. */
  conversation(kind: Kind, found: Json): void {
    const slack_id = textOf(found.id);
    const name = firstText(found.name, slack_id);
    if (slack_id === '') {
      this.#remarks.add('conversations without an id were left out', name);
      return;
    }
    const members = [...new Set(textsOf(found.members))];
    const folders = kind === 'direct' ? [slack_id] : [name, slack_id];
    const created_ms = this.#times.optional(found.created) ?? this.#now_ms;
    const id = boundedId(slack_id);
    const room = kind === 'public' || kind === 'private' ? this.#channel(kind, found, name) : this.#direct(kind, members);
    const creator = textOf(found.creator);
    const people = members.filter((member) => this.#people.has(member));
    if (members.length > people.length) this.#remarks.add('memberships of people who are not in the export were left out', name);
    const owners = room.kind === 'room' && kind !== 'group' ? people.map((person) => person === creator) : people.map(() => true);
    this.rooms.push({
      slack_id,
      folders,
      room: { id, created_ms, ...room, members: people.map((person, at) => ({ person, owner: owners[at] === true })) },
    });
  }

  #channel(kind: 'public' | 'private', found: Json, name: string): Omit<ExportedRoom, 'id' | 'created_ms' | 'members'> {
    const isArchived = found.is_archived === true;
    if (isArchived) this.#remarks.add('archived channels became rooms like the others, with a note in the topic', name);
    const [topic, purpose] = [found.topic, found.purpose].map((part) => (isObject(part) ? part.value : part));
    return {
      kind: 'room',
      title: name,
      topic: `${isArchived ? 'Archived. ' : ''}${firstText(topic, purpose)}`,
      visibility: kind === 'public' ? 'open' : 'private',
    };
  }

  #direct(kind: 'group' | 'direct', members: readonly string[]): Omit<ExportedRoom, 'id' | 'created_ms' | 'members'> {
    const people = members.filter((member) => this.#people.has(member));
    const own = { topic: '', visibility: 'private' as const };
    if (kind === 'direct' && members.length === 1 && people.length === 1) return { kind: 'notes', title: '', ...own };
    if (kind === 'direct' && members.length === 2 && people.length === 2) return { kind: 'pair', title: '', ...own };
    const title = members.map((id) => this.#people.get(id)?.nickname ?? this.#bots.get(id) ?? 'Deleted member').join(', ');
    return { kind: 'room', title, ...own };
  }
}
