import { toLabel } from '../../../kernel/contract/index.js';
import type { Member } from '../../members/contract.js';
import type { ImportedPerson, PersonState } from '../contract.js';
import type { ImporterParts } from './importer.js';

/** User names per call of the members' service. */
const max_names = 100;

interface FoundPeople {
  found: PersonState[];
  /** Members who are new in this import, by the id in the export. */
  matched: Map<string, string>;
}

/** People of exports: members with the same user name, or new inactive ones. */
export class ImportedPeople {
  readonly #parts: Pick<ImporterParts, 'members' | 'rows'>;

  constructor(parts: Pick<ImporterParts, 'members' | 'rows'>) {
    this.#parts = parts;
  }

  /** Returns who of the people is a member. Each member stands for one person of the export only. */
  async find(source: string, people: readonly ImportedPerson[]): Promise<FoundPeople> {
    if (people.length === 0) return { found: [], matched: new Map() };
    const { members, rows } = this.#parts;
    const ids = people.map(({ id }) => id);
    const known = await rows.find(source, 'person', ids);
    const existing = new Map((await members.byIds([...known.values()].map(Number))).map((member) => [member.id, member]));
    const taken = new Set((await rows.targets(source, 'person')).map(Number));
    const named = await this.#named(people);
    const matched = new Map<string, string>();
    const found = people.map(({ id, username }): PersonState => {
      const target = known.get(id) ?? matched.get(id);
      if (target !== undefined) return earlier(id, username, existing.get(Number(target)));
      const member = named.get(username.toLowerCase());
      if (!member || taken.has(member.id)) return { id, member_id: null, username, state: 'created' };
      taken.add(member.id);
      existing.set(member.id, member);
      matched.set(id, String(member.id));
      return { id, member_id: member.id, username: member.username, state: 'matched' };
    });
    return { found, matched };
  }

  /** Makes members of those who are none. They are inactive, have no password, and are never administrators. */
  async write(source: string, people: readonly ImportedPerson[]): Promise<PersonState[]> {
    const { members, rows } = this.#parts;
    const { found, matched } = await this.find(source, people);
    const made = new Map(matched);
    const states: PersonState[] = [];
    for (const [at, state] of found.entries()) {
      const person = people[at] as ImportedPerson;
      const before = made.get(person.id);
      if (state.state !== 'created') states.push(state);
      else if (before !== undefined) states.push({ ...state, member_id: Number(before), state: 'known' });
      else {
        const nickname = toLabel(person.nickname, 64) || toLabel(person.username, 64);
        const { id: member_id, username } = await members.createInactive({ username: person.username, nickname });
        made.set(person.id, String(member_id));
        states.push({ ...state, member_id, username });
      }
    }
    await rows.add(source, 'person', made);
    return states;
  }

  /** Returns people by their user names in lower case. AI employees and plugins are not matched. */
  async #named(people: readonly ImportedPerson[]): Promise<Map<string, Member>> {
    const names = [...new Set(people.map(({ username }) => username.toLowerCase()))];
    const found: Member[] = [];
    for (let start = 0; start < names.length; start += max_names)
      found.push(...(await this.#parts.members.named(names.slice(start, start + max_names))));
    return new Map(found.filter(({ is_virtual }) => !is_virtual).map((member) => [member.username.toLowerCase(), member]));
  }
}

function earlier(id: string, username: string, member: Member | undefined): PersonState {
  if (!member) return { id, member_id: null, username, state: 'gone' };
  return { id, member_id: member.id, username: member.username, state: 'known' };
}
