import type { Caller, ServiceMembers } from '../../kernel/contract/index.js';
import { callerOf } from './caller.js';
import { type MemberRules, members_lock } from './service.js';
import type { StoredMember } from './store/members.js';
import type { Store } from './store.js';
import { freeUsername, usernameFrom } from './username.js';

/** Implements the slot `plugins.member`. */
export class PluginMembers implements ServiceMembers {
  readonly #store: Store;
  readonly #rules: MemberRules;

  constructor({ store, rules }: { store: Store; rules: MemberRules }) {
    this.#store = store;
    this.#rules = rules;
  }

  async caller(plugin: { id: string; name: string }): Promise<Caller> {
    const { members } = this.#store;
    return callerOf((await members.byPlugin(plugin.id)) ?? (await this.#create(plugin)), 'plugin');
  }

  async remove(plugin: string): Promise<void> {
    const member = await this.#store.members.byPlugin(plugin);
    if (member) await this.#rules.delete(member.id);
  }

  /** Creates the member. If several instances ask at once, one creates it. */
  #create({ id, name }: { id: string; name: string }): Promise<StoredMember> {
    const { members } = this.#store;
    return this.#store.exclusive(members_lock, async () => {
      const existing = await members.byPlugin(id);
      if (existing) return existing;
      const base = usernameFrom(`plugin-${id}`) ?? 'plugin';
      return this.#rules.insert(async () => {
        const username = freeUsername(base, await members.namesLike(base));
        const defaults = { role: 'member' as const, remote_node_id: null, password_hash: null };
        return { ...defaults, username, nickname: name.slice(0, 64), is_virtual: true, plugin: id };
      });
    });
  }
}
