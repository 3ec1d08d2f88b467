import type { Tool } from '../contract.js';
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

/** Commands that come with something that may not be here, and what that is. */
const elsewhere: Readonly<Record<string, string>> = {
  run: 'Running commands needs a node, on which I could work; none brings `/run` to me yet.',
  schedule: 'Planning work needs schedules; nothing brings `/schedule` to me yet.',
  skills: 'I have no skills: nothing brings `/skills` to me yet.',
};

/** The text that answers a command, or the tool that it wants. */
export function answerOf({ name, rest }: Slash, toolbox: Toolbox): string | Wanted {
  if (name === 'help') return helpOf(toolbox);
  if (name === 'tools') return listOf(toolbox);
  if (name === 'call') return call(rest, toolbox);
  const tool = toolbox.tools.find(({ slash }) => slash?.command === name);
  if (tool) return byCommand(tool, rest);
  return elsewhere[name] ?? `There is no command \`/${name.slice(0, 64)}\`. There are ${commandsOf(toolbox).join(', ')}.`;
}

/** The command in a message, or undefined where it is none. */
export function parseSlash(content: string): Slash | undefined {
  const [matched, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(content.trim()) ?? [];
  return matched === undefined ? undefined : { name: name.toLowerCase(), rest };
}

function commandsOf({ tools }: Toolbox): string[] {
  return [...own, ...tools.flatMap(({ slash }) => slash?.command ?? [])].map((name) => `\`/${name}\``);
}

function helpOf({ tools }: Toolbox): string {
  const brought = tools.flatMap(({ slash, description }) => (slash ? [`- \`${slash.usage}\`: ${description}`] : []));
  const absent = Object.keys(elsewhere).filter((name) => !tools.some(({ slash }) => slash?.command === name));
  return [
    'I know these commands:\n',
    '- `/help` shows this.',
    '- `/tools` lists what I can use for you.',
    '- `/call <operation> <json>` uses one of them with this input, as you, for example `/call members.list {"page_size": 5}`. What changes something asks you first, as my mode says.',
    ...brought,
    ...absent.map((name) => `- \`/${name}\`: not here. ${elsewhere[name]}`),
  ].join('\n');
}

function listOf({ tools, missing }: Toolbox): string {
  const lines = tools.map(({ title, description, effect }) => `- \`${title}\`: ${description}${notes[effect]}`);
  const count = tools.length === 1 ? 'this' : `these ${tools.length}`;
  const absent = missing.map((name) => `\n\nNot to be had at the moment: the tools of ${name}.`);
  return `I can use ${count} for you:\n\n${lines.join('\n')}${absent.join('')}`;
}

const notes = { read: '', write: ' (changes something)', dangerous: ' (always asks)' } as const;

function call(rest: string, toolbox: Toolbox): string | Wanted {
  const [, id = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  if (id === '') return 'Which operation? Write `/call <operation> <json>`; `/tools` lists them.';
  const tool = toolbox.find(id);
  if (!tool) return `\`${id.slice(0, 64)}\` is not an operation that I can call for you. \`/tools\` lists those that are.`;
  const input = parseInput(json);
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

function parseInput(json: string): object | undefined {
  if (json === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
