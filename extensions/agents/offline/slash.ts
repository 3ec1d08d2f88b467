import type { Tool } from '../../../kernel/contract/index.js';
import { parseObject } from '../json.js';
import type { WorkLocation } from '../placement.js';
import type { RunTools } from '../tools/run-tools.js';
import type { Toolbox } from '../tools/toolbox.js';

/** Message that is a command: `/call members.list {"page": 2}`. */
export interface Slash {
  name: string;
  rest: string;
}

/** Command that runs a tool. */
export interface WantedCall {
  tool: Tool;
  input: object;
}

const builtins = ['help', 'tools', 'call'] as const;

/** Available tools and the node. */
type AvailableTools = Pick<RunTools, 'toolbox' | 'at'>;

/** Returns explanations for commands whose provider may be missing. */
const unavailableCommands = (at: WorkLocation): Readonly<Record<string, string>> => ({
  run: withoutNode(at),
  schedule: 'Only administrators may schedule work, and only while the extension `schedules` is active.',
  skills:
    'I have no skills. An administrator installs them from the marketplace, and assigns them to me with `skills` and `tools` of `platform employee update` (`PUT /api/agents/{member_id}`); both default to `all`.',
});

function withoutNode(at: WorkLocation): string {
  if (at.node_id === null) return noNodeReasons[at.why];
  if (at.away)
    return `My node (${at.node_id}) is offline. Try again later; an administrator can see why (\`GET /api/remote-nodes/${at.node_id}/health\`).`;
  return `My node (${at.node_id}) brings no \`/run\` to me; its image may have no shell.`;
}

const noNodeReasons = {
  no_node:
    'Running commands needs a node, and I have none. An administrator can assign one: `platform member update <my id> --remote-node-id <node>` (`PUT /api/members/{id}`).',
  no_grant:
    'I may not use my node for you. An administrator can permit it: `node_users` of `platform employee update` (`PUT /api/agents/{member_id}`), which is `admins`, `all`, or the ids of members.',
  elsewhere: 'This work began without my current node. Send it again.',
} as const;

/** Returns whether a message is a known command. Other text that begins with a slash, such as a path, goes to the model. */
export function isCommand(content: string, { toolbox, at }: AvailableTools): boolean {
  const slash = parseSlash(content);
  if (!slash) return false;
  const names: readonly string[] = [
    ...builtins,
    ...Object.keys(unavailableCommands(at)),
    ...toolbox.tools.flatMap(({ slash }) => slash?.command ?? []),
  ];
  return names.includes(slash.name);
}

/** Returns the text that answers a command, or the tool call it makes. */
export function answerOf({ name, rest }: Slash, { toolbox, at }: AvailableTools): string | WantedCall {
  if (name === 'help') return helpOf({ toolbox, at });
  if (name === 'tools') return listOf(toolbox);
  if (name === 'call') return call(rest, toolbox);
  const tool = toolbox.tools.find(({ slash }) => slash?.command === name);
  if (tool) return byCommand(tool, rest);
  return unavailableCommands(at)[name] ?? `There is no command \`/${name.slice(0, 64)}\`. Commands: ${commandsOf(toolbox).join(', ')}.`;
}

/** Parses the command in a message, which in a room follows the mentions of those who shall run it; undefined if there is none. */
export function parseSlash(content: string): Slash | undefined {
  const [matched, name = '', rest = ''] = /^(?:@\S+\s+)*\/(\S*)\s*(.*)$/s.exec(content.trim()) ?? [];
  return matched === undefined ? undefined : { name: name.toLowerCase(), rest };
}

function commandsOf({ tools }: Toolbox): string[] {
  return [...builtins, ...tools.flatMap(({ slash }) => slash?.command ?? [])].map((name) => `\`/${name}\``);
}

function helpOf({ toolbox: { tools }, at }: AvailableTools): string {
  const provided = tools.flatMap(({ slash, description }) => (slash ? [`- \`${slash.usage}\`: ${slash.about ?? description}`] : []));
  const missingCommands = Object.entries(unavailableCommands(at)).filter(([name]) => !tools.some(({ slash }) => slash?.command === name));
  return [
    'I know these commands:\n',
    '- `/help` shows this list.',
    '- `/tools` lists what I can use for you.',
    '- `/call <operation> <json>` calls one of them with this input, as you, for example `/call members.list {"page_size": 5}`. Depending on my mode, changes ask you first.',
    ...provided,
    ...missingCommands.map(([name, why]) => `- \`/${name}\`: unavailable. ${why}`),
  ].join('\n');
}

function listOf({ tools, missing }: Toolbox): string {
  const lines = tools.map(({ title, description, effect }) => `- \`${title}\`: ${description}${notes[effect]}`);
  const count = tools.length === 1 ? 'this' : `these ${tools.length}`;
  const absent = missing.map((name) => `\n\nUnavailable at the moment: the tools of ${name}.`);
  return `I can use ${count} for you:\n\n${lines.join('\n')}${absent.join('')}`;
}

const notes = { read: '', write: ' (changes something)', dangerous: ' (always asks)' } as const;

function call(rest: string, toolbox: Toolbox): string | WantedCall {
  const [, id = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  if (id === '') return 'Which operation? Write `/call <operation> <json>`; `/tools` lists them.';
  const tool = toolbox.find(id);
  if (!tool) return `\`${id.slice(0, 64)}\` is not an operation that I can call for you. \`/tools\` lists those that are.`;
  const input = parseObject(json);
  if (input === undefined)
    return `The input of \`${id}\` must be a JSON object, such as \`{"page": 1}\`, but is \`${json.slice(0, 200)}\`.`;
  return { tool, input };
}

function byCommand(tool: Tool, rest: string): string | WantedCall {
  try {
    return { tool, input: tool.slash?.parse(rest) ?? {} };
  } catch (fault) {
    return `Write \`${tool.slash?.usage}\`: ${fault instanceof Error ? fault.message : String(fault)}`;
  }
}
