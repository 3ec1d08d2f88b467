import type { Faults } from './faults.js';
import { boundedId, idOf } from './ids.js';
import { firstText, isObject, type Json, objectsOf, textOf, textsOf } from './json.js';
import type { Remarks } from './remarks.js';
import type { ExportedPerson, ExportedRoom } from './types.js';

interface Team {
  title: string;
  /** Whether everybody may join it. */
  is_open: boolean;
}

interface Channel {
  id: string;
  team: string;
  title: string;
  topic: string;
  is_open: boolean;
  is_archived: boolean;
  members: Map<string, boolean>;
}

interface User extends ExportedPerson {
  teams: readonly Json[];
}

/** Teams, channels and people of a Mattermost export, by the names with which its lines refer to them. */
export class MattermostDirectory {
  readonly #remarks: Remarks;
  readonly #teams = new Map<string, Team>();
  readonly #channels = new Map<string, Channel>();
  readonly #users = new Map<string, User>();
  readonly #bots = new Map<string, string>();
  readonly #direct = new Map<string, Set<string>>();

  constructor(remarks: Remarks) {
    this.#remarks = remarks;
  }

  team(team: Json): void {
    const name = textOf(team.name);
    const title = firstText(team.display_name, name);
    this.#teams.set(name.toLowerCase(), { title, is_open: team.type === 'O' || team.allow_open_invite === true });
  }

  channel(channel: Json, faults: Faults, place: string): void {
    const [team, name] = [textOf(channel.team).toLowerCase(), textOf(channel.name).toLowerCase()];
    if (team === '' || name === '') {
      faults.add(place, "a channel needs 'team' and 'name'");
      return;
    }
    const is_archived = Number(channel.deleted_at ?? channel.delete_at ?? 0) > 0;
    if (is_archived) this.#remarks.add('archived channels became rooms like the others, with a note in the topic', name);
    this.#channels.set(channelKey(team, name), {
      id: boundedId(`${team}/${name}`),
      team,
      title: firstText(channel.display_name, name),
      topic: `${is_archived ? 'Archived. ' : ''}${firstText(channel.header, channel.purpose)}`,
      is_open: channel.type === 'O',
      is_archived,
      members: new Map(),
    });
  }

  user(user: Json, faults: Faults, place: string): void {
    const username = textOf(user.username);
    const id = username.toLowerCase();
    if (id === '') {
      faults.add(place, "a user needs 'username'");
      return;
    }
    if (this.#users.has(id)) {
      this.#remarks.add('users occur twice; the first one counts', username);
      return;
    }
    const name = [textOf(user.first_name), textOf(user.last_name)].join(' ').trim();
    this.#users.set(id, { id, username, nickname: firstText(user.nickname, name, username), teams: objectsOf(user.teams) });
  }

  bot(bot: Json): void {
    const username = textOf(bot.username);
    this.#bots.set(username.toLowerCase(), firstText(bot.display_name, username));
  }

  /** Adds a conversation of people; returns its id. */
  direct(members: unknown, participants?: unknown): string {
    const named = [...textsOf(members), ...objectsOf(participants).map(({ username }) => textOf(username))];
    const names = [...new Set(named.map((name) => name.toLowerCase()))].sort();
    const id = directId(names);
    this.#direct.set(id, new Set(names));
    return id;
  }

  hasChannel(team: unknown, channel: unknown): string | undefined {
    return this.#channels.get(channelKey(textOf(team), textOf(channel)))?.id;
  }

  isUser(name: string): boolean {
    return this.#users.has(name.toLowerCase());
  }

  /** Returns the name of a bot; undefined if there is none of this user name. */
  botName(name: string): string | undefined {
    return this.#bots.get(name.toLowerCase());
  }

  get people(): ExportedPerson[] {
    return [...this.#users.values()].map(({ id, username, nickname }) => ({ id, username, nickname }));
  }

  /** Returns the rooms. `first_ms`: the time of the first message by the id of its room. */
  rooms(first_ms: ReadonlyMap<string, number>, now_ms: number): ExportedRoom[] {
    this.#join();
    const several = new Set([...this.#channels.values()].map(({ team }) => team)).size > 1;
    const channels = [...this.#channels.values()].map((channel): ExportedRoom => {
      const { id, team, title, topic, members } = channel;
      return {
        id,
        kind: 'room',
        title: several ? `${title} (${this.#teams.get(team)?.title ?? team})` : title,
        topic,
        visibility: this.#visibility(channel, several),
        created_ms: first_ms.get(id) ?? now_ms,
        members: [...members].map(([person, owner]) => ({ person, owner })),
      };
    });
    const direct = [...this.#direct].map(([id, names]) => this.#conversation(id, [...names], first_ms.get(id) ?? now_ms));
    return [...channels, ...direct];
  }

  /** Returns who may read a room: public channels of a team that people are invited to are not for everybody here. */
  #visibility({ team, title, is_open }: Channel, several: boolean): ExportedRoom['visibility'] {
    if (!is_open) return 'private';
    if (!several || this.#teams.get(team)?.is_open) return 'open';
    this.#remarks.add('public channels of invite-only teams became private rooms', title);
    return 'private';
  }

  #conversation(id: string, names: readonly string[], created_ms: number): ExportedRoom {
    const people = names.filter((name) => this.#users.has(name));
    const title = names.map((name) => this.#users.get(name)?.nickname ?? this.#bots.get(name) ?? 'Deleted member').join(', ');
    const kind = names.length === 1 ? 'notes' : names.length === 2 && people.length === 2 ? 'pair' : 'room';
    const members = people.map((person) => ({ person, owner: true }));
    return { id, kind, title: kind === 'room' ? title : '', topic: '', visibility: 'private', created_ms, members };
  }

  /** Puts the users into their channels. */
  #join(): void {
    for (const { id, teams } of this.#users.values()) {
      for (const team of teams) {
        for (const { name, roles } of objectsOf(team.channels)) {
          const channel = this.#channels.get(channelKey(textOf(team.name), textOf(name)));
          if (channel) channel.members.set(id, /\bchannel_admin\b/.test(textOf(roles)));
          else this.#remarks.add('memberships name a channel that is not in the export', `${textOf(team.name)}/${textOf(name)}`);
        }
      }
    }
  }
}

function channelKey(team: string, channel: string): string {
  return `${team.toLowerCase()}/${channel.toLowerCase()}`;
}

function directId(names: readonly string[]): string {
  return `direct/${idOf(...names)}`;
}

/** Returns whether a line has the object that its type names. */
export function partOf(line: Json): Json | undefined {
  const part = line[textOf(line.type)];
  return isObject(part) ? part : undefined;
}
