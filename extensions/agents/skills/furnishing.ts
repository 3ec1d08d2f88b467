import { join } from 'node:path';
import type { ToolUse } from '../../../kernel/contract/index.js';
import type { Furnishing, NodesService } from '../../nodes/contract.js';
import { fail } from '../codes.js';
import type { KnownSkill } from './skills.js';

/** Nodes, where something knows them now. */
export type FindNodes = () => Pick<NodesService, 'furnish'> | undefined;

/** The platform's own, beside the skill. */
const manifest = 'manifest.json';

/** What a skill brings beside its instructions. */
export function filesOf({ files }: KnownSkill): KnownSkill['files'] {
  return files.filter(({ name }) => name !== 'SKILL.md' && name !== manifest);
}

/**
 * Puts a skill's files on the node on which somebody works, and gives their folder there.
 *
 * @throws `node_offline` and whatever else keeps them from getting there
 */
export async function furnish(
  skill: KnownSkill,
  { employee_id, use, nodes: find }: { employee_id: number; use: ToolUse & { node_id: number }; nodes: FindNodes },
): Promise<string> {
  const nodes = find();
  if (!nodes) throw fail('node_offline', 'Nothing here knows work nodes just now');
  const { node_id, asker, signal } = use;
  const [{ content_hash }, files] = [skill, placed(skill)];
  const wanted: Furnishing = { node_id, member_id: asker.member_id, employee_id, folder: `.skills/${skill.id}`, content_hash, files };
  return (await nodes.furnish(wanted, signal)).folder;
}

/** A ZIP's modes are not kept: what lies where the standard has scripts can be run. */
function placed({ folder, files }: KnownSkill): Furnishing['files'] {
  const own = files.filter(({ name }) => name !== manifest);
  return own.map(({ name, bytes }) => ({ path: name, bytes, from: join(folder, name), executable: name.startsWith('scripts/') }));
}
