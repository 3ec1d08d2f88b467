import type { Subject } from '../../kernel/contract/index.js';

/** Subjects beside the AI employees themselves. */
export const approvals: Subject = { name: 'Approvals', description: 'Questions that AI employees ask before they use a tool.' };

export const protocols: Subject = {
  name: 'OpenAI and MCP',
  description: 'Protocols of others, for programs that exist already: AI employees as OpenAI models, operations as MCP tools.',
};
