import type { Caller, Contribution, Log, ToolProvider } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import type { NodesService } from '../../nodes/contract.js';
import { fail } from '../codes.js';
import type { EmployeeProfile } from '../contract.js';
import type { Placement } from '../placement.js';
import { Toolbox } from '../tools/toolbox.js';
import type { SettingsStore } from './store.js';

interface Parts {
  members: Pick<MembersService, 'virtual'>;
  settings: Pick<SettingsStore, 'get'>;
  placement: Pick<Placement, 'whereabouts'>;
  providers: () => readonly Contribution<ToolProvider>[];
  /** Returns the statuses of nodes; undefined if no extension provides nodes. */
  statuses: (ids: readonly number[]) => ReturnType<NodesService['statuses']> | undefined;
  log: Log;
}

/** Shows AI employees to members, who may not see their settings. */
export class PublicProfiles {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the profile with the tools that the employee may use for the caller. Fails with `employee_not_found`. */
  async of(member_id: number, caller: Caller, signal: AbortSignal): Promise<EmployeeProfile> {
    const { members, settings: store, placement, providers, log } = this.#parts;
    const member = await members.virtual(member_id);
    if (!member) throw fail('employee_not_found', `There is no AI employee ${member_id}`);
    const { username, name, post, mode, status, skills, oversight, remote_node_id } = member;
    const { settings } = await store.get(member_id);
    const { node_id } = await placement.whereabouts({ ...settings, remote_node_id }, caller, remote_node_id);
    const use = { employee: { member_id, name }, asker: caller, node_id, signal };
    const [{ tools }, node_status] = await Promise.all([
      Toolbox.open({ providers: providers(), use, allowed: settings.tools, log }),
      this.#statusOf(remote_node_id),
    ]);
    return { member_id, username, name, post, mode, status, oversight, skills, tools: tools.map(({ title }) => title).sort(), node_status };
  }

  async #statusOf(node_id: number | null): Promise<EmployeeProfile['node_status']> {
    if (node_id === null) return null;
    return (await this.#parts.statuses([node_id]))?.get(node_id) ?? null;
  }
}
