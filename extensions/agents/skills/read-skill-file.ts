import type { Tool, ToolResult } from '../../../kernel/contract/index.js';
import { cleanLine } from './clean-text.js';
import { fileRangeIn } from './input.js';
import { continuationNote, max_page, readPage } from './pages.js';
import { findSkill, type KnownSkill } from './skills.js';
import { type UseParts, unknownSkill } from './use-skill.js';

/** Limit of listed names: a model reads 2,000 characters of an error. */
const max_names_length = 1_500;

const input = {
  type: 'object',
  properties: {
    skill: { type: 'string', description: 'Name of the skill' },
    path: { type: 'string', description: 'Path of the file as listed by `use_skill`: references/rules.md' },
    offset: { type: 'integer', minimum: 0, description: 'Offset in bytes. Default 0' },
    limit: { type: 'integer', minimum: 16, maximum: max_page, description: `Maximum number of bytes. Default ${max_page}` },
  },
  required: ['skill', 'path'],
  additionalProperties: false,
};

/** Creates the tool that reads text files of skills. */
export function readSkillFileTool({ own: current }: Pick<UseParts, 'own'>): Tool {
  return {
    name: 'read_skill_file',
    title: 'read_skill_file',
    description: `Reads a text file of one of your skills, at most ${max_page} bytes at once. Files on your work node are read by other tools.`,
    input,
    effect: 'read',
    audience: 'members',
    call: async (given) => {
      const { skill: name, path, offset, limit } = fileRangeIn(given);
      const now = await current();
      const skill = findSkill(now, name);
      if (!skill) return unknownSkill(name, now);
      // Open only files listed in the bundle: no path leads anywhere else.
      const file = skill.files.find(({ name }) => name.normalize('NFC') === path);
      if (!file) return missingFile(skill, path);
      const page = await readPage(skill, file.name, { offset, limit });
      if (page.text === undefined) return { output: `[This is a binary file of ${page.size} bytes]` };
      return { output: page.text + continuationNote(page, skill.label, path) };
    },
  };
}

function missingFile({ label, files }: KnownSkill, path: string): ToolResult {
  const names = cleanLine(files.map(({ name }) => name).join(', '), max_names_length);
  return { output: '', error: `The skill '${label}' has no file '${cleanLine(path, 200)}'. It has: ${names}` };
}
