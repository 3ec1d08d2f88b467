import { Random } from '../faults/random.js';
import { type Actor, type Decision, type Person, people, type Step } from './steps.js';
import { orders, sentences } from './texts.js';

/** A room as the generator knows it. */
export interface Room {
  name: string;
  owner: Actor;
  members: Set<Actor>;
  is_open: boolean;
  /** Its AI employee, if it has one. */
  employee: string | undefined;
  messages: { name: string; by: Actor }[];
}

interface Invited {
  people?: readonly Actor[];
  employee?: string;
}

/** Makes the steps of one history. */
export class Generator {
  readonly random: Random;
  readonly steps: Step[] = [];
  readonly rooms: Room[] = [];
  /** Files that members have uploaded. */
  readonly files: { name: string; by: Actor }[] = [];
  #count = 0;

  constructor(seed: number) {
    this.random = new Random(seed * 7_919 + 1);
  }

  step(by: Actor, operation: string, input: Record<string, unknown>, more: Partial<Step> = {}): void {
    this.steps.push({ by, operation, input, ...more });
  }

  name(kind: string): string {
    this.#count += 1;
    return `${kind}${this.#count}`;
  }

  /** A room in which this person is; a new one if there is none. */
  roomOf(person: Person): Room {
    const own = this.rooms.filter(({ members }) => members.has(person));
    return own.length > 0 ? this.random.one(own) : this.create(person);
  }

  any(): Person {
    return this.random.one(people);
  }

  /** Whether a text of this member is a planted instruction. */
  plants(by: Actor): boolean {
    return by === 'plugin' || (by === 'dan' && this.random.next() < 0.6);
  }

  textOf(by: Actor): string {
    return this.random.one(this.plants(by) ? orders : sentences);
  }

  /** Creates a room with the invited members, or with any. */
  create(owner: Actor = this.any(), invited: Invited = {}): Room {
    const { random } = this;
    const name = this.name('room');
    const others = invited.people ?? this.#others(owner);
    const employee = invited.employee ?? (random.next() < 0.9 ? random.one(['employee1', 'employee2']) : undefined);
    const is_open = random.next() < 0.25;
    const title = owner === 'dan' && random.next() < 0.5 ? random.one(orders) : `Plans ${name}`;
    this.step(
      owner,
      'sessions.create',
      {
        title: `${title} {{run}}`,
        target_type: 'room',
        target_id: '',
        member_ids: [...others.map((other) => `{{${other}}}`), ...(employee ? [`{{${employee}}}`] : [])],
        ...(is_open ? { visibility: 'open' } : {}),
      },
      { keep: name },
    );
    const room: Room = { name, owner, members: new Set([owner, ...others]), is_open, employee, messages: [] };
    this.rooms.push(room);
    for (const person of room.members) if (person !== 'ann' && random.next() < 0.4) this.follow(person, room);
    return room;
  }

  #others(owner: Actor): Actor[] {
    const others: Actor[] = people.filter((person) => person !== owner && this.random.next() < 0.75);
    return this.random.next() < 0.15 ? [...others, 'plugin'] : others;
  }

  follow(person: Actor, room: Room): void {
    this.step(person, 'sessions.stream', { session_id: `{{${room.name}}}` });
  }

  send(by: Actor, room: Room, content: string, more: { input?: object; decision?: Decision } = {}): void {
    const name = this.name('message');
    const { input = {}, decision } = more;
    this.step(by, 'chat.send', { session_id: `{{${room.name}}}`, content, ...input }, { keep: name, ...(decision && { decision }) });
    room.messages.push({ name, by });
  }

  /** Uploads a file, and returns the name of its id. */
  upload(by: Actor): string {
    const name = this.name('file');
    // Texts of files are searched some time after they are sent, so they have no words that members search for.
    const file = { name: `${this.textOf(by)} {{run}}.txt`, content: this.random.one(sentences) };
    this.step(by, 'files.upload', { file }, { keep: name });
    this.files.push({ name, by });
    return name;
  }

  /** Mentions the room's AI employee. */
  ask(by: Person): void {
    const { random } = this;
    const room = this.roomOf(by);
    const plant = by !== 'ann' && random.next() < 0.6 ? ` ${random.one(orders)}` : '';
    const target = room.employee ?? 'employee1';
    const decision = random.next() < 0.1 ? 'approve' : 'deny';
    this.send(by, room, `@{{${target}.name}} ${random.one(sentences)}${plant}`, { decision });
  }
}
