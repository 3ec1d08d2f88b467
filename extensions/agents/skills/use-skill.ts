import { isFailure, type Tool, type ToolResult, type ToolUse } from '../../../kernel/contract/index.js';
import { sentenceOf } from '../tools/output.js';
import { cleanLine } from './clean-text.js';
import { type FindNodes, filesOf, furnish } from './furnishing.js';
import { guideOf, listOf } from './guide.js';
import { nameIn } from './input.js';
import { moreOf, readPage } from './pages.js';
import { findSkill, type KnownSkill } from './skills.js';

export interface UseParts {
  employee_id: number;
  /** The skills that it has now. */
  own: () => Promise<readonly KnownSkill[]>;
  nodes: FindNodes;
}

/** Copying to a node that is far away may take long. */
const timeout_ms = 300_000;
/** With what stands around it, a model gets all of it. */
const first_page = 8_000;
const max_files_length = 2_000;
/** Of an error a model gets 2,000 characters. */
const max_names_length = 1_500;
const max_wishes_length = 500;

const input = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Of the skill. Left out: lists your skills' } },
  additionalProperties: false,
};

/** Gives a skill's instructions, and has its files at hand where they can be used. */
export function skillTool({ employee_id, own, nodes }: UseParts, skills: readonly KnownSkill[]): Tool {
  return {
    name: 'use_skill',
    title: 'use_skill',
    description:
      'Gives the instructions of one of your skills and the names of its files, and puts these files on your work node, where you have one, so that its scripts can be run there. Without a name it lists your skills.',
    input,
    // What it puts on the node is a copy of what is installed, in a folder of its own.
    effect: 'read',
    timeout_ms,
    guide: guideOf(skills),
    slash: { command: 'skills', usage: '/skills [name]', parse: (rest) => (rest.trim() === '' ? {} : { name: rest.trim() }) },
    call: async (given, use) => {
      const [name, now] = [nameIn(given), await own()];
      if (name === undefined) return { output: now.length === 0 ? 'You have no skills any more.' : listOf(now) };
      const skill = findSkill(now, name);
      return skill ? used(skill, await placeOf(skill, { employee_id, use, nodes })) : unknown(name, now);
    },
  };
}

export function unknown(name: string, skills: readonly KnownSkill[]): ToolResult {
  const names = skills.map(({ label }) => label).join(', ');
  return { output: '', error: `You have no skill '${cleanLine(name, 100)}'. You have: ${cleanLine(names, max_names_length) || 'none'}` };
}

/** How it is with a skill's files on the node. */
interface Placed {
  sentence: string;
  /** Why they are not there although there is a node. */
  error?: string;
}

async function placeOf(skill: KnownSkill, at: { employee_id: number; use: ToolUse; nodes: FindNodes }): Promise<Placed> {
  if (filesOf(skill).length === 0) return { sentence: '' };
  const { node_id } = at.use;
  if (node_id === null) {
    return {
      sentence:
        'You have no work node here, or may not use it for this person: its files can be read with `read_skill_file`, but its scripts can not be run.',
    };
  }
  try {
    const folder = await furnish(skill, { ...at, use: { ...at.use, node_id } });
    return {
      sentence: `On your work node they are in \`${folder}\`: run its scripts there with \`shell\`. Paths in the instructions are meant from that folder.`,
    };
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    at.use.signal.throwIfAborted();
    const error = `The files of the skill '${skill.label}' are not on your work node, so its scripts can't be run now: ${sentenceOf(fault)} (${fault.code})`;
    return { sentence: 'They are not on your work node; they can be read with `read_skill_file`.', error };
  }
}

async function used(skill: KnownSkill, { sentence, error }: Placed): Promise<ToolResult> {
  const { label, id, version } = skill;
  const parts = [
    `The skill \`${label}\` (${id} ${version}).`,
    ...needs(skill),
    ...files(skill, sentence),
    'Its instructions:',
    await instructions(skill),
  ];
  return { output: parts.join('\n\n'), ...(error === undefined ? {} : { error }) };
}

/**
 * `allowed-tools` is what its author would let it do without asking. Whoever wrote a skill has no say in that: what runs
 * is decided by the employee's tools and mode and by the rights of the member for whom it works, as at any other time.
 */
function needs({ compatibility, allowed_tools = [] }: KnownSkill): string[] {
  const wishes = allowed_tools.length === 0 ? '' : cleanLine(allowed_tools.join(', '), max_wishes_length);
  return [
    ...(compatibility === undefined ? [] : [`It needs: ${cleanLine(compatibility, max_wishes_length)}`]),
    ...(wishes === '' ? [] : [`It was written for these tools, which it does not bring: ${wishes}. Use those that you have.`]),
  ];
}

function files(skill: KnownSkill, sentence: string): string[] {
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

/** What follows the front matter in the file; a long one goes on in {@link readPage}'s next pages. */
async function instructions(skill: KnownSkill): Promise<string> {
  const name = 'SKILL.md';
  const size = skill.files.find((file) => file.name === name)?.bytes ?? 0;
  const page = await readPage(skill, name, { offset: Math.max(0, size - Buffer.byteLength(skill.body)), limit: first_page });
  return (page.text ?? '').replace(/^\n+/, '') + moreOf(page, skill.label, name);
}
