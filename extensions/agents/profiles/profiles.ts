import { type Clock, fail as coreFail, type Fault } from '../../../kernel/contract/index.js';
import type { MembersService, VirtualMember } from '../../members/contract.js';
import { fail } from '../codes.js';
import type { DayBudget, EmployeeChange, EmployeeSettings, ModelHabit, ModelTest } from '../contract.js';
import type { AskedModel } from '../model/check.js';
import { displayUrl, type HabitStore } from '../model/habits.js';
import type { Models } from '../model/models.js';
import type { TestedModel } from '../model/trial.js';
import type { ModelSettings } from '../settings.js';
import type { Skills } from '../skills/skills.js';
import type { Budget } from '../usage/budget.js';
import { type PriceOf, pricesFrom } from '../usage/prices.js';
import type { Endpoints } from './endpoints.js';
import type { Profile, StoredSettings } from './profile.js';
import type { References } from './references.js';
import type { SettingsStore, StoredProfile } from './store.js';

interface Parts {
  store: SettingsStore;
  endpoints: Endpoints;
  references: References;
  skills: Pick<Skills, 'ids'>;
  models: Models;
  habits: HabitStore;
  budget: Budget;
  /** Platform's model, if configured. */
  platform: ModelSettings | undefined;
  members: MembersService;
  /** Returns whether a tool with this name or title exists now. */
  isTool: (name: string) => boolean;
  clock: Clock;
  /** Called inside the transaction of a change. */
  changed: () => void;
}

/** Reads and changes the settings of AI employees. */
export class Profiles {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns what a run needs; undefined if there is no such AI employee. */
  async get(member_id: number): Promise<Profile | undefined> {
    const { members, store } = this.#parts;
    const [member, { settings }] = await Promise.all([members.employee(member_id), store.get(member_id)]);
    if (!member) return undefined;
    const { model: _model, fallback_models: _fallback, ...rest } = settings;
    const { name, post, mode, remote_node_id } = member;
    return { ...rest, member_id, name, post, mode, remote_node_id, models: this.#modelsOf(settings, member_id) };
  }

  /** Returns the models configured for individual AI employees. */
  async employeeModels(): Promise<AskedModel[]> {
    const { store, endpoints, platform } = this.#parts;
    return [...(await store.all())].flatMap(
      ([
        member_id,
        {
          settings: { model, fallback_models },
        },
      ]) => {
        const own = [model, ...fallback_models].map((endpoint, number) => ({ endpoint, fallback: number > 0 }));
        return own.flatMap(({ endpoint, fallback }) => {
          const settings = endpoint?.base_url ? endpoints.settings(endpoint, platform, member_id) : undefined;
          return settings ? [{ settings, fallback }] : [];
        });
      },
    );
  }

  /** Returns the prices of now. */
  async prices(): Promise<PriceOf> {
    const { store, platform } = this.#parts;
    const stored = await store.all();
    return pricesFrom({ settingsOf: (member_id) => (stored.get(member_id) ?? store.defaults).settings, platform });
  }

  /**
   * Returns a model to test as it would be if it were stored: without a key it has the key that the employee has for its address. Fails with
   * `employee_not_found` or `invalid_input`.
   */
  async tested({ member_id, ...given }: ModelTest): Promise<TestedModel> {
    const { store, endpoints, platform } = this.#parts;
    if (member_id !== undefined) await this.#require(member_id);
    const { model, fallback_models } = member_id === undefined ? store.defaults.settings : (await store.get(member_id)).settings;
    const faults: Fault[] = [];
    const known = [model, ...fallback_models].filter((endpoint) => endpoint !== null);
    const endpoint = endpoints.unstored(given, { known, faults });
    const settings = endpoints.settings(endpoint, platform, member_id ?? 0);
    if (faults.length > 0) throw invalidInput(faults);
    if (!settings) throw invalidInput([{ path: 'base_url', message: 'The platform has no model of its own, so an address is required' }]);
    const isOwn = endpoint.base_url !== '';
    return { settings: { ...settings, tested: isOwn }, asks: !isOwn || endpoint.model !== '' };
  }

  async list(): Promise<EmployeeSettings[]> {
    const { members, store, skills, budget, habits } = this.#parts;
    const [employees, stored, installed, learnt] = await Promise.all([members.virtuals(), store.all(), skills.ids(), habits.all()]);
    const budgets = await budget.days(employees.map(({ id }) => id));
    return employees.map((member) => {
      const day = budgets.get(member.id) ?? budget.unused();
      return this.#record(member, stored.get(member.id) ?? store.defaults, { installed, budget: day, learnt });
    });
  }

  /** Returns the settings of an AI employee. Fails with `employee_not_found`. */
  async record(member_id: number): Promise<EmployeeSettings> {
    const { store, skills, budget, habits } = this.#parts;
    const member = await this.#require(member_id);
    const [kept, installed, day, learnt] = await Promise.all([store.get(member_id), skills.ids(), budget.day(member_id), habits.all()]);
    return this.#record(member, kept, { installed, budget: day, learnt });
  }

  /** Changes settings; omitted fields stay. Fails with `employee_not_found`, or with `invalid_input` listing every error. */
  async update(member_id: number, change: EmployeeChange): Promise<EmployeeSettings> {
    const { store, members, budget, clock, habits } = this.#parts;
    return store.transaction(async () => {
      await this.#require(member_id);
      // Lock the member record first: a deletion of the member locks in the same order.
      const record = memberChange(change);
      if (Object.keys(record).length > 0) await members.updateVirtual(member_id, record);
      const { settings } = await store.lock(member_id);
      const changed = await this.#changed(settings, change);
      await store.put(member_id, changed, clock.iso());
      if (change.model !== undefined || change.fallback_models)
        await habits.forget([settings, changed].flatMap((each) => this.#asked(each, member_id)));
      if (changed.limits.tokens_per_day !== settings.limits.tokens_per_day) await budget.limitChanged(member_id);
      this.#parts.changed();
      return this.record(member_id);
    });
  }

  /** Deletes the settings inside the transaction that removes the member. */
  async forget(member_id: number): Promise<void> {
    await this.#parts.store.forget(member_id);
  }

  /** Removes a node from all settings inside the transaction that removes the node. */
  async forgetNode(node_id: number): Promise<void> {
    const { store, clock } = this.#parts;
    for (const [member_id, { settings }] of await store.all()) {
      if (!settings.fallback_node_ids.includes(node_id)) continue;
      const { settings: now } = await store.lock(member_id);
      const fallback_node_ids = now.fallback_node_ids.filter((id) => id !== node_id);
      await store.put(member_id, { ...now, fallback_node_ids }, clock.iso());
    }
  }

  /** Deletes orphaned settings, left by a concurrent deletion or one while this extension was inactive; returns their number. */
  async sweep(): Promise<number> {
    const { store, members } = this.#parts;
    const ids = [...(await store.all()).keys()];
    const existing = new Set((await members.byIds(ids)).map(({ id }) => id));
    const orphans = ids.filter((id) => !existing.has(id));
    for (const id of orphans) await store.forget(id);
    return orphans.length;
  }

  #modelsOf(settings: StoredSettings, member_id: number): Profile['models'] {
    return this.#parts.models.chain(this.#asked(settings, member_id));
  }

  /** Returns the models to ask, in order. */
  #asked({ model, fallback_models }: StoredSettings, member_id: number): ModelSettings[] {
    const { endpoints, platform } = this.#parts;
    const own = model ? endpoints.settings(model, platform, member_id) : platform;
    const others = fallback_models.map((endpoint) => endpoints.settings(endpoint, platform, member_id));
    const fallbacks = others.map((settings) => settings && (settings.employee === undefined ? settings : { ...settings, fallback: true }));
    return [own, ...fallbacks].filter((settings) => settings !== undefined);
  }

  #record(
    member: VirtualMember,
    { settings, updated_at }: StoredProfile,
    { installed, budget, learnt }: { installed: ReadonlySet<string>; budget: DayBudget; learnt: readonly ModelHabit[] },
  ): EmployeeSettings {
    const { endpoints, isTool } = this.#parts;
    const { id: member_id, name, post, mode, status } = member;
    const { model, fallback_models, ...rest } = settings;
    return {
      member_id,
      name,
      post,
      mode,
      status,
      ...rest,
      missing_skills: rest.skills === 'all' ? [] : rest.skills.filter((id) => !installed.has(id)),
      missing_tools: rest.tools === 'all' ? [] : rest.tools.filter((tool) => !isTool(tool)),
      model: model && endpoints.toRecord(model),
      fallback_models: fallback_models.map((endpoint) => endpoints.toRecord(endpoint)),
      model_habits: habitsOf(this.#asked(settings, member_id), learnt),
      budget,
      updated_at,
    };
  }

  async #changed(settings: StoredSettings, change: EmployeeChange): Promise<StoredSettings> {
    const { endpoints, references } = this.#parts;
    const faults: Fault[] = [];
    const known = [settings.model, ...settings.fallback_models].filter((endpoint) => endpoint !== null);
    const { name: _name, post: _post, mode: _mode, model, fallback_models, limits, ...rest } = change;
    const changed: StoredSettings = {
      ...settings,
      ...rest,
      limits: { ...settings.limits, ...limits },
      model: model === undefined ? settings.model : model && endpoints.changed(model, settings.model, { known, faults }),
      fallback_models: fallback_models ? endpoints.fromList(fallback_models, { known, faults }) : settings.fallback_models,
    };
    faults.push(...(await references.faults(change, settings.skills)));
    if (faults.length > 0) throw invalidInput(faults);
    return changed;
  }

  async #require(member_id: number): Promise<VirtualMember> {
    const member = await this.#parts.members.virtual(member_id);
    if (!member) throw fail('employee_not_found', `There is no AI employee ${member_id}`);
    return member;
  }
}

function invalidInput(faults: readonly Fault[]): Error {
  return coreFail('invalid_input', faults.map(({ path, message }) => `${path}: ${message}`).join('. '), { details: faults });
}

function habitsOf(asked: readonly ModelSettings[], learnt: readonly ModelHabit[]): ModelHabit[] {
  return learnt.filter(({ base_url, model }) => asked.some((each) => displayUrl(each.base_url) === base_url && each.name === model));
}

function memberChange({ name, post, mode }: EmployeeChange): Parameters<MembersService['updateVirtual']>[1] {
  return { ...(name === undefined ? {} : { name }), ...(post === undefined ? {} : { post }), ...(mode === undefined ? {} : { mode }) };
}
