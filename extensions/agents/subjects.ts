import type { Subject } from '../../kernel/contract/index.js';

/** Subjects beside the AI employees themselves. */
export const approvals: Subject = { name: 'Approvals', description: 'Requests of AI employees for permission to use a tool.' };

export const protocols: Subject = {
  name: 'OpenAI and MCP',
  description: 'Other protocols, for existing programs: AI employees as OpenAI models, operations as MCP tools.',
};
