import type { Tool, ToolResult } from '../../../kernel/contract/index.js';
import { cleanLine } from './clean-text.js';
import { readingIn } from './input.js';
import { max_page, moreOf, readPage } from './pages.js';
import { findSkill, type KnownSkill } from './skills.js';
import { type UseParts, unknown } from './use-skill.js';

/** Of an error a model gets 2,000 characters. */
const max_names_length = 1_500;

const input = {
  type: 'object',
  properties: {
    skill: { type: 'string', description: 'Its name' },
    path: { type: 'string', description: 'Of the file, as `use_skill` names it: references/rules.md' },
    offset: { type: 'integer', minimum: 0, description: 'How many bytes stand before the part that is wanted. Default 0' },
    limit: { type: 'integer', minimum: 16, maximum: max_page, description: `How many bytes at most. Default ${max_page}` },
  },
  required: ['skill', 'path'],
  additionalProperties: false,
};

/** Gives a text that a skill brings. */
export function readSkillFileTool({ own }: Pick<UseParts, 'own'>): Tool {
  return {
    name: 'read_skill_file',
    title: 'read_skill_file',
    description: `Reads a text file of one of your skills, at most ${max_page} bytes at once. Files on your work node are read by other tools.`,
    input,
    effect: 'read',
    call: async (given) => {
      const { skill: name, path, offset, limit } = readingIn(given);
      const now = await own();
      const skill = findSkill(now, name);
      if (!skill) return unknown(name, now);
      // Only what the bundle itself lists is opened: no path leads anywhere else.
      const file = skill.files.find(({ name }) => name.normalize('NFC') === path);
      if (!file) return absent(skill, path);
      const page = await readPage(skill, file.name, { offset, limit });
      if (page.text === undefined) return { output: `[This is no text but a binary file of ${page.size} bytes]` };
      return { output: page.text + moreOf(page, skill.label, path) };
    },
  };
}

function absent({ label, files }: KnownSkill, path: string): ToolResult {
  const names = cleanLine(files.map(({ name }) => name).join(', '), max_names_length);
  return { output: '', error: `The skill '${label}' has no file '${cleanLine(path, 200)}'. It has: ${names}` };
}
