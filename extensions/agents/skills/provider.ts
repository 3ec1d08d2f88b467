import type { ToolProvider } from '../../../kernel/contract/index.js';
import type { FindNodes } from './furnishing.js';
import { readSkillFileTool } from './read-skill-file.js';
import type { Selection, Skills } from './skills.js';
import { skillTool } from './use-skill.js';

interface SkillToolsParts {
  skills: Skills;
  /** Those that an AI employee has, as it is set up now. */
  selection: (member_id: number) => Promise<Selection>;
  nodes: FindNodes;
}

/** The tools by which AI employees use their skills; none for one without skills. */
export function skillTools({ skills, selection, nodes }: SkillToolsParts): ToolProvider {
  return {
    name: 'skills',
    brings: (name) => name === 'use_skill' || name === 'read_skill_file',
    tools: async ({ employee }) => {
      // Asked again for each call: one may be gone meanwhile, or taken away.
      const own = async () => skills.of(() => selection(employee.member_id));
      const found = await own();
      if (found.length === 0) return [];
      return [skillTool({ employee_id: employee.member_id, own, nodes }, found), readSkillFileTool({ own })];
    },
  };
}
