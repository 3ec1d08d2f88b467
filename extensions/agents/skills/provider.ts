import type { Tool, ToolContext, ToolProvider } from '../../../kernel/contract/index.js';
import type { FindNodes } from './furnishing.js';
import { readSkillFileTool } from './read-skill-file.js';
import type { Selection, Skills } from './skills.js';
import { skillTool } from './use-skill.js';

export interface SkillToolsParts {
  skills: Skills;
  /** Those that an AI employee has, as it is set up now. */
  selection: (member_id: number) => Promise<Selection>;
  nodes: FindNodes;
}

/** The tools by which AI employees use their skills; none for one without skills. */
export class SkillTools implements ToolProvider {
  readonly name = 'skills';
  readonly #parts: SkillToolsParts;

  constructor(parts: SkillToolsParts) {
    this.#parts = parts;
  }

  brings(name: string): boolean {
    return name === 'use_skill' || name === 'read_skill_file';
  }

  async tools({ employee }: Pick<ToolContext, 'employee'>): Promise<Tool[]> {
    const { skills, selection, nodes } = this.#parts;
    // Asked again for each call: one may be gone meanwhile, or taken away.
    const own = async () => skills.of(() => selection(employee.member_id));
    const found = await own();
    if (found.length === 0) return [];
    return [skillTool({ employee_id: employee.member_id, own, nodes }, found), readSkillFileTool({ own })];
  }
}
