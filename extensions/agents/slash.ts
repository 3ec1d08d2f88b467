import { type Caller, type CatalogEntry, isFailure, type Outcome } from '../../kernel/contract/index.js';
import type { Run } from '../chat/contract.js';

/** A message that is a command: `/call members.list {"page": 2}`. */
export interface Slash {
  name: string;
  rest: string;
}

export interface SlashOptions {
  operations: () => readonly CatalogEntry[];
  invoke: (operation: string, input: object, caller: Caller, options: { signal: AbortSignal }) => Promise<Outcome>;
  /** The member as a caller with all its rights. */
  caller: (member_id: number) => Promise<Caller>;
}

/** What a reply shows of an answer; the rest is cut off. */
const longest_output = 8_000;
const commands = ['help', 'tools', 'call'] as const;

const help = `I know these commands:

- \`/help\` shows this.
- \`/tools\` lists the operations that I can call for you.
- \`/call <operation> <json>\` calls one of them with this input, as you, for example \`/call members.list {"page_size": 5}\`.`;

/** The commands of the offline responder. They act as the member who asks, with no more than it may. */
export class SlashCommands {
  readonly #options: SlashOptions;

  constructor(options: SlashOptions) {
    this.#options = options;
  }

  /** Runs a command; gives the text of the reply. */
  async run({ name, rest }: Slash, run: Run): Promise<string> {
    if (name === 'help') return help;
    const caller = await this.#callerOf(run);
    if (name === 'tools') return this.#list(caller);
    if (name === 'call') return this.#call(rest, run, caller);
    return `There is no command \`/${name.slice(0, 64)}\`. There are ${commands.map((known) => `\`/${known}\``).join(', ')}.`;
  }

  async #callerOf({ asker }: Run): Promise<Caller> {
    return { ...(await this.#options.caller(asker.member_id)), scopes: asker.scopes };
  }

  #list(caller: Caller): string {
    const tools = this.#tools(caller);
    const lines = tools.map(({ id, summary }) => `- \`${id}\`: ${summary}`);
    return `I can call ${tools.length === 1 ? 'this operation' : `these ${tools.length} operations`} for you:\n\n${lines.join('\n')}`;
  }

  #tools({ role }: Caller): CatalogEntry[] {
    const mayAsk = (entry: CatalogEntry) => entry.who !== 'admin' || role === 'admin';
    return this.#options.operations().filter((entry) => entry.tool && !entry.dangerous && mayAsk(entry));
  }

  async #call(rest: string, run: Run, caller: Caller): Promise<string> {
    const [, id = '', json = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
    if (id === '') return 'Which operation? Write `/call <operation> <json>`; `/tools` lists them.';
    const refusal = this.#refusal(id, caller);
    if (refusal) return refusal;
    const input = parseInput(json);
    if (input === undefined)
      return `The input of \`${id}\` must be a JSON object, such as \`{"page": 1}\`, but is \`${json.slice(0, 200)}\`.`;
    return this.#invoke({ id, input }, run, caller);
  }

  #refusal(id: string, caller: Caller): string | undefined {
    const shown = `\`${id.slice(0, 64)}\``;
    const known = this.#options.operations().find((entry) => entry.id === id);
    if (!known?.tool) return `${shown} is not an operation that I can call. \`/tools\` lists those that are.`;
    if (known.dangerous) return `${shown} needs your approval each time, so I can't call it here.`;
    return this.#tools(caller).some((tool) => tool.id === id) ? undefined : `${shown} is for administrators.`;
  }

  async #invoke({ id, input }: { id: string; input: object }, run: Run, caller: Caller): Promise<string> {
    const call = await run.tools.started(id, input);
    try {
      const { body } = await this.#options.invoke(id, input, caller, { signal: run.signal });
      const output = body === undefined ? 'Done.' : JSON.stringify(body, null, 2);
      await run.tools.finished(call, { output, error: null });
      return body === undefined ? output : `\`\`\`json\n${cut(output)}\n\`\`\``;
    } catch (fault) {
      run.signal.throwIfAborted();
      const error = isFailure(fault)
        ? `${fault.message} (${fault.code})`
        : 'It failed for a reason that is in the log of the server (internal_error)';
      await run.tools.finished(call, { output: null, error });
      return `\`${id}\` failed: ${cut(error)}`;
    }
  }
}

/** The command in a message, or undefined where it is none. */
export function parseSlash(content: string): Slash | undefined {
  const [matched, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(content.trim()) ?? [];
  return matched === undefined ? undefined : { name: name.toLowerCase(), rest };
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

function cut(text: string): string {
  return text.length <= longest_output ? text : `${text.slice(0, longest_output)}\n… ${text.length - longest_output} more characters`;
}
