import type { Tool } from '../../../kernel/contract/index.js';
import { parseObject } from '../json.js';
import type { Whereabouts } from '../placement.js';
import type { Kit } from '../tools/kit.js';
import type { Toolbox } from '../tools/toolbox.js';

/** A message that is a command: `/call members.list {"page": 2}`. */
export interface Slash {
  name: string;
  rest: string;
}

/** A command that uses a tool. */
export interface Wanted {
  tool: Tool;
  input: object;
}

const own = ['help', 'tools', 'call'] as const;

/** What can be used, and where. */
type Means = Pick<Kit, 'toolbox' | 'at'>;

/** Commands that come with something that may not be here, and what that is. */
const elsewhere = (at: Whereabouts): Readonly<Record<string, string>> => ({
  run: withoutNode(at),
  schedule: 'Planning work needs schedules; nothing brings `/schedule` to me yet.',
  skills:
    'I have no skills. An administrator installs them from the marketplace, and says which are mine and that I may use them: `skills` and `tools` of `platform employee update` (`PUT /api/agents/{member_id}`), which are `all` at first.',
});

function withoutNode(at: Whereabouts): string {
  if (at.node_id === null) return nodeless[at.why];
  if (at.away)
    return `My node (${at.node_id}) is offline just now. Try again when it is back; an administrator sees why (\`GET /api/remote-nodes/${at.node_id}/health\`).`;
  return `My node (${at.node_id}) brings no \`/run\` to me; its image may have no shell.`;
}

const nodeless = {
  no_node:
    'Running commands needs a node, and I have none. An administrator gives me one: `platform member update <my id> --remote-node-id <node>` (`PUT /api/members/{id}`).',
  no_grant:
    'I may not use my node for you. An administrator decides who may: `node_users` of `platform employee update` (`PUT /api/agents/{member_id}`), which is `admins`, `all`, or the ids of members.',
  elsewhere: 'I began this work without the node that I have now. Send it again.',
} as const;

/** Whether a message is a command that is known here. Any other text that begins with a slash, such as a path, is meant for the model. */
export function isCommand(content: string, { toolbox, at }: Means): boolean {
  const slash = parseSlash(content);
  if (!slash) return false;
  const names: readonly string[] = [...own, ...Object.keys(elsewhere(at)), ...toolbox.tools.flatMap(({ slash }) => slash?.command ?? [])];
  return names.includes(slash.name);
}

/** The text that answers a command, or the tool that it wants. */
export function answerOf({ name, rest }: Slash, { toolbox, at }: Means): string | Wanted {
  if (name === 'help') return helpOf({ toolbox, at });
  if (name === 'tools') return listOf(toolbox);
  if (name === 'call') return call(rest, toolbox);
  const tool = toolbox.tools.find(({ slash }) => slash?.command === name);
  if (tool) return byCommand(tool, rest);
  return elsewhere(at)[name] ?? `There is no command \`/${name.slice(0, 64)}\`. There are ${commandsOf(toolbox).join(', ')}.`;
}

/** The command in a message, or undefined where it is none. */
export function parseSlash(content: string): Slash | undefined {
  const [matched, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(content.trim()) ?? [];
  return matched === undefined ? undefined : { name: name.toLowerCase(), rest };
}

function commandsOf({ tools }: Toolbox): string[] {
  return [...own, ...tools.flatMap(({ slash }) => slash?.command ?? [])].map((name) => `\`/${name}\``);
}

function helpOf({ toolbox: { tools }, at }: Means): string {
  const brought = tools.flatMap(({ slash, description }) => (slash ? [`- \`${slash.usage}\`: ${description}`] : []));
  const absent = Object.entries(elsewhere(at)).filter(([name]) => !tools.some(({ slash }) => slash?.command === name));
  return [
    'I know these commands:\n',
    '- `/help` shows this.',
    '- `/tools` lists what I can use for you.',
    '- `/call <operation> <json>` uses one of them with this input, as you, for example `/call members.list {"page_size": 5}`. What changes something asks you first, as my mode says.',
    ...brought,
    ...absent.map(([name, why]) => `- \`/${name}\`: not here. ${why}`),
  ].join('\n');
}

function listOf({ tools, missing }: Toolbox): string {
  const lines = tools.map(({ title, description, effect }) => `- \`${title}\`: ${description}${notes[effect]}`);
  const count = tools.length === 1 ? 'this' : `these ${tools.length}`;
  const absent = missing.map((name) => `\n\nUnavailable at the moment: the tools of ${name}.`);
  return `I can use ${count} for you:\n\n${lines.join('\n')}${absent.join('')}`;
}

const notes = { read: '', write: ' (changes something)', dangerous: ' (always asks)' } as const;

function call(rest: string, toolbox: Toolbox): string | Wanted {
  const [, id = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  if (id === '') return 'Which operation? Write `/call <operation> <json>`; `/tools` lists them.';
  const tool = toolbox.find(id);
  if (!tool) return `\`${id.slice(0, 64)}\` is not an operation that I can call for you. \`/tools\` lists those that are.`;
  const input = parseObject(json);
  if (input === undefined)
    return `The input of \`${id}\` must be a JSON object, such as \`{"page": 1}\`, but is \`${json.slice(0, 200)}\`.`;
  return { tool, input };
}

function byCommand(tool: Tool, rest: string): string | Wanted {
  try {
    return { tool, input: tool.slash?.parse(rest) ?? {} };
  } catch (fault) {
    return `Write \`${tool.slash?.usage}\`: ${fault instanceof Error ? fault.message : String(fault)}`;
  }
}
