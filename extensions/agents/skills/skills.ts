import { LRUCache } from 'lru-cache';
import type { Extensions, InstalledExtension, InstalledSkill, Log } from '../../../kernel/contract/index.js';
import type { EmployeeSettings } from '../contract.js';

/** Skills selected for an AI employee: their ids, or all. */
export type Selection = EmployeeSettings['skills'];

/** Skill as AI employees see it. */
export interface KnownSkill extends InstalledSkill {
  /** Name of the skill; its id if another skill has the same name, or that name as its id. */
  label: string;
}

export interface SkillsOptions {
  extensions: Pick<Extensions, 'installed' | 'skill'>;
  log: Log;
}

/** Limit of the cached texts, in bytes. */
const max_cached = 32 * 1024 * 1024;
const max_unreadable = 1_000;

/** Reads the installed skills. The list is read each time, so that changes apply at once on every instance; texts are cached by version. */
export class Skills {
  readonly #options: SkillsOptions;
  /** By folder; each version has its own. */
  readonly #read = new LRUCache<string, InstalledSkill>({ maxSize: max_cached, sizeCalculation: sizeOf });

  /** Unreadable folders that have been logged. */
  readonly #unreadable = new LRUCache<string, true>({ max: max_unreadable });

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  /** Returns the active skills of a selection, by id; the selection is only read if there are skills. Unreadable skills are skipped. */
  async of(selection: () => Promise<Selection>): Promise<KnownSkill[]> {
    const all = await this.all();
    return all.length === 0 ? all : selectedOf(all, await selection());
  }

  /** Returns all active skills. */
  async all(): Promise<KnownSkill[]> {
    const found: InstalledSkill[] = [];
    for (const installed of await this.#installed()) {
      const skill = installed.state === 'active' ? await this.#readOnce(installed) : undefined;
      if (skill) found.push(skill);
    }
    return withLabels(found);
  }

  /** Returns the ids of all installed skills, active or not. */
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

/** Finds a skill by id, then by label, so that no name can impersonate another skill. */
export function findSkill(skills: readonly KnownSkill[], name: string): KnownSkill | undefined {
  return skills.find(({ id }) => id === name) ?? skills.find(({ label }) => label === name);
}

function withLabels(skills: readonly InstalledSkill[]): KnownSkill[] {
  const uses = new Map<string, number>();
  for (const { id, name } of skills) {
    for (const word of new Set([id, name])) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  return skills.map((skill) => ({ ...skill, label: uses.get(skill.name) === 1 ? skill.name : skill.id }));
}

function sizeOf({ body, description, files }: InstalledSkill): number {
  return files.reduce((sum, { name }) => sum + name.length + 32, body.length + description.length + 1_024);
}
