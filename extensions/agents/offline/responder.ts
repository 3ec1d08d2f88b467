import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolResult } from '../../../kernel/contract/index.js';
import type { Message } from '../../chat/contract.js';
import type { Sink } from '../run/loop.js';
import { cut } from '../tools/output.js';
import type { RunTools } from '../tools/run-tools.js';
import { answerOf, parseSlash, type Slash } from './slash.js';

/** Message to answer, and destination of the answer. A run of chat implements both. */
type TextMessage = Pick<Message, 'content'>;
export type ReplyRun = Pick<Sink, 'written' | 'write'> & { readonly message: TextMessage; joined(): Promise<readonly TextMessage[]> };

export interface OfflineRequest {
  run: ReplyRun;
  /** Name of the AI employee. */
  name: string;
  signal: AbortSignal;
  tools: () => Promise<RunTools>;
}

/** Size and interval of pieces: paced like a person reads. */
const piece_length = 24;
const piece_ms = 12;

/** Runs commands with the tools a model would use. If no model is configured, explains what is missing. */
export class OfflineResponder {
  /** Answers the message, or after a restart only the texts that joined later. */
  async answer(request: OfflineRequest): Promise<void> {
    const { run } = request;
    if (run.written === '') await this.reply(request, run.message);
    for (let joined = await run.joined(); joined.length > 0; joined = await run.joined()) {
      for (const message of joined) {
        await run.write('\n\n');
        await this.reply(request, message);
      }
    }
  }

  /** Answers one message. */
  async reply(asked: Omit<OfflineRequest, 'run'> & { run: Pick<ReplyRun, 'write'> }, { content }: TextMessage): Promise<void> {
    const slash = parseSlash(content);
    const text = slash ? await this.#run(asked, slash) : explanation(asked.name);
    for (const piece of inPieces(text)) {
      await asked.run.write(piece);
      await sleep(piece_ms, undefined, { signal: asked.signal });
    }
  }

  async #run({ tools }: Pick<OfflineRequest, 'tools'>, slash: Slash): Promise<string> {
    const { toolbox, calls, at } = await tools();
    const answer = answerOf(slash, { toolbox, at });
    if (typeof answer === 'string') return answer;
    const { tool, input } = answer;
    const use = { id: randomUUID(), name: tool.name, arguments: JSON.stringify(input) };
    const [result] = await calls.all([use]);
    return formatResult(tool.title, result ?? { output: '' });
  }
}
/** Limit of an output in a reply, in characters; the tool call has all of it. */
const max_shown_length = 8_000;

function formatResult(title: string, { output, error }: ToolResult): string {
  const failed = error === undefined ? '' : `\`${title}\` failed: ${cut(error, max_shown_length)}`;
  const text = output === '' ? '' : formatOutput(output);
  return [failed, text].filter(Boolean).join('\n\n') || 'Done.';
}

/** Formats JSON over several lines. */
function formatOutput(output: string): string {
  try {
    return `\`\`\`json\n${cut(JSON.stringify(JSON.parse(output), null, 2), max_shown_length)}\n\`\`\``;
  } catch {
    return cut(output, max_shown_length);
  }
}

/** Splits a text into pieces without splitting characters. */
function inPieces(text: string): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += piece_length) pieces.push(characters.slice(start, start + piece_length).join(''));
  return pieces;
}

function explanation(name: string): string {
  return `I am ${name}, an AI employee, but no model is configured, so I cannot think yet. This is the built-in offline responder.

An administrator configures a model with these settings and restarts the server:

- \`PLATFORM_MODEL_BASE_URL\`: an OpenAI-compatible endpoint, such as \`https://api.openai.com/v1\`, or \`http://127.0.0.1:11434/v1\` for Ollama
- \`PLATFORM_MODEL_NAME\`: the name of a model there
- \`PLATFORM_MODEL_API_KEY\`: its key, if it needs one

In the configuration file they are \`base_url\`, \`name\` and \`api_key\` under \`agents.model\`. Or, without a restart, a model only for me: \`platform employee update\` (\`PUT /api/agents/{member_id}\`).

Until then I run commands. Type \`/help\` to see them.`;
}
