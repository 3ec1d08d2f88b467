import type { ToolProvider } from '../../../kernel/contract/index.js';
import type { FindNodes } from './furnishing.js';
import { readSkillFileTool } from './read-skill-file.js';
import type { Selection, Skills } from './skills.js';
import { skillTool } from './use-skill.js';

interface SkillToolsParts {
  skills: Skills;
  /** Returns the skills selected for an AI employee now. */
  selection: (member_id: number) => Promise<Selection>;
  nodes: FindNodes;
}

/** Provides the tools for skills; none for an AI employee without skills. */
export function skillTools({ skills, selection, nodes }: SkillToolsParts): ToolProvider {
  return {
    name: 'skills',
    brings: (name) => name === 'use_skill' || name === 'read_skill_file',
    tools: async ({ employee }) => {
      // Read again for each call, because a skill may have been removed or deselected.
      const current = async () => skills.of(() => selection(employee.member_id));
      const found = await current();
      if (found.length === 0) return [];
      return [skillTool({ employee_id: employee.member_id, own: current, nodes }, found), readSkillFileTool({ own: current })];
    },
  };
}
