import type { Manifest } from '../../kernel/contract/index.js';
import type { ContributionSummary } from './contract.js';

/** What a bundle adds, by name. */
export function contributionsOf({ contributes = {} }: Manifest): ContributionSummary {
  const { operations = {}, actions = [], tools = [], topics = [], channels = [], commands = [], panels = [] } = contributes;
  const marked = (mark: 'schedulable' | 'tool') =>
    Object.entries(operations)
      .filter(([, operation]) => operation[mark] === true)
      .map(([id]) => id);
  return {
    operations: Object.keys(operations),
    actions: [...new Set([...actions, ...marked('schedulable')])],
    tools: [...new Set([...tools, ...marked('tool')])],
    topics: topics.map(({ name }) => name),
    channels: [...channels],
    commands: commands.map(({ command }) => command),
    panels: panels.map(({ title }) => title),
  };
}
