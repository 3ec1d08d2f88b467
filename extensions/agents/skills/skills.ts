import { LRUCache } from 'lru-cache';
import type { Extensions, InstalledExtension, InstalledSkill, Log } from '../../../kernel/contract/index.js';
import type { EmployeeSettings } from '../contract.js';

/** The skills of an AI employee: their ids, or all that there are. */
export type Selection = EmployeeSettings['skills'];

/** A skill as AI employees know it. */
export interface KnownSkill extends InstalledSkill {
  /** Its name; where another skill has that name or it for an id, its own id. */
  label: string;
}

export interface SkillsOptions {
  extensions: Pick<Extensions, 'installed' | 'skill'>;
  log: Log;
}

/** What is kept of the skills' texts, in bytes. */
const max_kept = 32 * 1024 * 1024;
const max_unreadable = 1_000;

/**
 * The skills that are installed. Which these are is asked each time, so that a skill is there, and gone, at once and on
 * every instance; what they say is read once for each version.
 */
export class Skills {
  readonly #options: SkillsOptions;
  /** By their folders, of which each version has one of its own. */
  readonly #read = new LRUCache<string, InstalledSkill>({ maxSize: max_kept, sizeCalculation: sizeOf });

  /** Folders that can't be read, and of which the log tells. */
  readonly #unreadable = new LRUCache<string, true>({ max: max_unreadable });

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  /** Those of a selection, which is asked for where there are any, that are active here now, by their ids. One that can't be read is left out. */
  async of(selection: () => Promise<Selection>): Promise<KnownSkill[]> {
    const all = await this.all();
    return all.length === 0 ? all : selectedOf(all, await selection());
  }

  /** The same of every skill. */
  async all(): Promise<KnownSkill[]> {
    const found: InstalledSkill[] = [];
    for (const installed of await this.#installed()) {
      const skill = installed.state === 'active' ? await this.#readOnce(installed) : undefined;
      if (skill) found.push(skill);
    }
    return labelled(found);
  }

  /** The ids of all that are installed, whether they are active or not. */
  async ids(): Promise<ReadonlySet<string>> {
    return new Set((await this.#installed()).map(({ id }) => id));
  }

  async #installed(): Promise<InstalledExtension[]> {
    const all = await this.#options.extensions.installed();
    return all.filter(({ type }) => type === 'skill').sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  async #readOnce({ id, folder }: InstalledExtension): Promise<InstalledSkill | undefined> {
    if (folder === null) return undefined;
    const known = this.#read.get(folder);
    if (known) return known;
    const { extensions, log } = this.#options;
    try {
      const skill = await extensions.skill(id);
      if (skill) this.#read.set(skill.folder, skill);
      return skill;
    } catch (err) {
      if (!this.#unreadable.has(folder)) log.warn(`The skill '${id}' can't be read`, { err });
      this.#unreadable.set(folder, true);
      return undefined;
    }
  }
}

export function selectedOf(all: readonly KnownSkill[], selection: Selection): KnownSkill[] {
  return all.filter(({ id }) => selection === 'all' || selection.includes(id));
}

/** By its id before its label: nobody takes another's place by a name. */
export function findSkill(skills: readonly KnownSkill[], name: string): KnownSkill | undefined {
  return skills.find(({ id }) => id === name) ?? skills.find(({ label }) => label === name);
}

function labelled(skills: readonly InstalledSkill[]): KnownSkill[] {
  const taken = new Map<string, number>();
  for (const { id, name } of skills) {
    for (const word of new Set([id, name])) taken.set(word, (taken.get(word) ?? 0) + 1);
  }
  return skills.map((skill) => ({ ...skill, label: taken.get(skill.name) === 1 ? skill.name : skill.id }));
}

function sizeOf({ body, description, files }: InstalledSkill): number {
  return files.reduce((sum, { name }) => sum + name.length + 32, body.length + description.length + 1_024);
}
