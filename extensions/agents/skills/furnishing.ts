import { join } from 'node:path';
import type { ToolUse } from '../../../kernel/contract/index.js';
import type { Furnishing, NodesService } from '../../nodes/contract.js';
import { fail } from '../codes.js';
import type { KnownSkill } from './skills.js';

/** Returns the nodes service; undefined if inactive. */
export type FindNodes = () => Pick<NodesService, 'furnish'> | undefined;

/** The platform's manifest, which is not part of the skill. */
const manifest = 'manifest.json';

/** Returns a skill's files besides its instructions. */
export function filesOf({ files }: KnownSkill): KnownSkill['files'] {
  return files.filter(({ name }) => name !== 'SKILL.md' && name !== manifest);
}

/**
 * Copies a skill's files to the node in use, and returns their folder there.
 *
 * @throws `node_offline`, or any failure of the transfer
 */
export async function furnish(
  skill: KnownSkill,
  { employee_id, use, nodes: find }: { employee_id: number; use: ToolUse & { node_id: number }; nodes: FindNodes },
): Promise<string> {
  const nodes = find();
  if (!nodes) throw fail('node_offline', 'Work nodes are unavailable: the extension nodes is not active');
  const { node_id, asker, signal } = use;
  const [{ content_hash }, files] = [skill, filesToCopy(skill)];
  const { member_id, room } = asker;
  const wanted: Furnishing = { node_id, member_id, room: room?.number, employee_id, folder: `.skills/${skill.id}`, content_hash, files };
  return (await nodes.furnish(wanted, signal)).folder;
}

/** Lists the files to copy. ZIP modes are ignored: files in the standard's folder for scripts become executable. */
function filesToCopy({ folder, files }: KnownSkill): Furnishing['files'] {
  const own = files.filter(({ name }) => name !== manifest);
  return own.map(({ name, bytes }) => ({ path: name, bytes, from: join(folder, name), executable: name.startsWith('scripts/') }));
}
