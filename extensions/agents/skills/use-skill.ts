import { isFailure, type Tool, type ToolResult, type ToolUse } from '../../../kernel/contract/index.js';
import { publicMessage } from '../tools/output.js';
import { cleanLine } from './clean-text.js';
import { type FindNodes, filesOf, furnish } from './furnishing.js';
import { guideOf, listOf } from './guide.js';
import { nameIn } from './input.js';
import { continuationNote, readPage } from './pages.js';
import { findSkill, type KnownSkill } from './skills.js';

export interface UseParts {
  employee_id: number;
  /** Returns the current skills. */
  own: () => Promise<readonly KnownSkill[]>;
  nodes: FindNodes;
}

/** Copying to a remote node may take long. */
const timeout_ms = 300_000;
/** Limit of the first page; with the text around it, a model reads all of it. */
const first_page = 8_000;
const max_files_length = 2_000;
/** Limit of listed names: a model reads 2,000 characters of an error. */
const max_names_length = 1_500;
const max_wishes_length = 500;

const input = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Name of the skill. If omitted, lists your skills' } },
  additionalProperties: false,
};

/** Creates the tool that returns a skill's instructions and copies its files to the work node. */
export function skillTool({ employee_id, own, nodes }: UseParts, skills: readonly KnownSkill[]): Tool {
  return {
    name: 'use_skill',
    title: 'use_skill',
    description:
      'Returns the instructions and file names of one of your skills. If you have a work node, copies the files there so that you can run its scripts. Without a name, lists your skills.',
    input,
    // It only writes a copy of the installed skill, in a folder of its own.
    effect: 'read',
    // Skills are selected for the employee, not for the person who asks.
    audience: 'members',
    timeout_ms,
    guide: guideOf(skills),
    slash: {
      command: 'skills',
      usage: '/skills [name]',
      about: 'Lists my skills, or shows the instructions of one.',
      parse: (rest) => (rest.trim() === '' ? {} : { name: rest.trim() }),
    },
    call: async (given, use) => {
      const [name, now] = [nameIn(given), await own()];
      if (name === undefined) return { output: now.length === 0 ? 'You no longer have any skills.' : listOf(now) };
      const skill = findSkill(now, name);
      return skill ? describeSkill(skill, await furnishFiles(skill, { employee_id, use, nodes })) : unknownSkill(name, now);
    },
  };
}

export function unknownSkill(name: string, skills: readonly KnownSkill[]): ToolResult {
  const names = skills.map(({ label }) => label).join(', ');
  return { output: '', error: `You have no skill '${cleanLine(name, 100)}'. You have: ${cleanLine(names, max_names_length) || 'none'}` };
}

/** State of a skill's files on the node. */
interface FileState {
  sentence: string;
  /** Reason why they are missing although there is a node. */
  error?: string;
}

async function furnishFiles(skill: KnownSkill, at: { employee_id: number; use: ToolUse; nodes: FindNodes }): Promise<FileState> {
  if (filesOf(skill).length === 0) return { sentence: '' };
  const { node_id } = at.use;
  if (node_id === null) {
    return {
      sentence:
        'You have no work node here, or may not use it for this person. You can read the files with `read_skill_file`, but not run the scripts.',
    };
  }
  try {
    const folder = await furnish(skill, { ...at, use: { ...at.use, node_id } });
    return {
      sentence: `On your work node they are in \`${folder}\`. Run scripts there with \`shell\`; paths in the instructions are relative to that folder.`,
    };
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    at.use.signal.throwIfAborted();
    const error = `The files of the skill '${skill.label}' are not on your work node, so its scripts can't be run now: ${publicMessage(fault)} (${fault.code})`;
    return { sentence: 'They are not on your work node; read them with `read_skill_file`.', error };
  }
}

async function describeSkill(skill: KnownSkill, { sentence, error }: FileState): Promise<ToolResult> {
  const { label, id, version } = skill;
  const parts = [
    `The skill \`${label}\` (${id} ${version}).`,
    ...requirementsOf(skill),
    ...describeFiles(skill, sentence),
    'Its instructions:',
    await instructions(skill),
  ];
  return { output: parts.join('\n\n'), ...(error === undefined ? {} : { error }) };
}

/**
 * Describes a skill's requirements. `allowed-tools` names tools that its author would run without approval. Authors
 * have no say in that: the employee's tools and mode and the member's permissions decide, as always.
 */
function requirementsOf({ compatibility, allowed_tools = [] }: KnownSkill): string[] {
  const wishes = allowed_tools.length === 0 ? '' : cleanLine(allowed_tools.join(', '), max_wishes_length);
  return [
    ...(compatibility === undefined ? [] : [`It needs: ${cleanLine(compatibility, max_wishes_length)}`]),
    ...(wishes === '' ? [] : [`It was written for these tools, which it does not include: ${wishes}. Use the ones you have.`]),
  ];
}

function describeFiles(skill: KnownSkill, sentence: string): string[] {
  const own = filesOf(skill);
  if (own.length === 0) return [];
  const lines: string[] = [];
  let left = max_files_length;
  for (const { name, bytes } of own) {
    const line = `- ${name} (${bytes} bytes)`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
  }
  if (lines.length < own.length) lines.push(`- … and ${own.length - lines.length} more`);
  return [`Its files:\n${lines.join('\n')}`, sentence];
}

/** Returns the text after the front matter; a long text continues in {@link readPage}'s next pages. */
async function instructions(skill: KnownSkill): Promise<string> {
  const name = 'SKILL.md';
  const size = skill.files.find((file) => file.name === name)?.bytes ?? 0;
  const page = await readPage(skill, name, { offset: Math.max(0, size - Buffer.byteLength(skill.body)), limit: first_page });
  return (page.text ?? '').replace(/^\n+/, '') + continuationNote(page, skill.label, name);
}
