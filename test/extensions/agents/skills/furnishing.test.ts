import t from 'tap';
import { skillTool } from '../../../../extensions/agents/skills/use-skill.js';
import { Failure, type ToolUse } from '../../../../kernel/contract/index.js';
import { skillIn } from './world.js';

t.test('an infrastructure fault reveals nothing to a model', async (t) => {
  const skill = await skillIn(t, { 'SKILL.md': '# One\n', 'scripts/x.sh': '' });
  const furnish = () => Promise.reject(new Failure('database_unavailable', 'No answer from db.internal:5432', { status: 503 }));
  const tool = skillTool({ employee_id: 2, own: async () => [skill], nodes: () => ({ furnish }) }, [skill]);
  const use = { node_id: 1, asker: { member_id: 5 }, signal: new AbortController().signal, output() {} } as unknown as ToolUse;
  const { output, error } = await tool.call({ name: 'one' }, use);
  t.match(output, /# One/);
  t.match(error, /can't be run now: Internal error; try again in a moment \(database_unavailable\)$/);
});
