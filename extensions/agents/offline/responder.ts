import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolResult } from '../../../kernel/contract/index.js';
import type { Message } from '../../chat/contract.js';
import type { Sink } from '../run/loop.js';
import type { Kit } from '../tools/kit.js';
import { cut } from '../tools/output.js';
import { answerOf, parseSlash, type Slash } from './slash.js';

/** What it is asked, and where its answer goes. A run of chat's is one. */
type Said = Pick<Message, 'content'>;
export type Spoken = Pick<Sink, 'written' | 'write'> & { readonly message: Said; joined(): Promise<readonly Said[]> };

export interface Asked {
  run: Spoken;
  /** The AI employee's. */
  name: string;
  signal: AbortSignal;
  tools: () => Promise<Kit>;
}

/** As a person reads: a few characters at a time. */
const piece_length = 24;
const piece_ms = 12;

/** Runs commands by the same tools as a model; where no model is configured it also says what is missing. */
export class OfflineResponder {
  /** The message, or where it is asked again the texts that have joined. */
  async answer(asked: Asked): Promise<void> {
    const { run } = asked;
    if (run.written === '') await this.reply(asked, run.message);
    for (let joined = await run.joined(); joined.length > 0; joined = await run.joined()) {
      for (const message of joined) {
        await run.write('\n\n');
        await this.reply(asked, message);
      }
    }
  }

  /** Answers one message. */
  async reply(asked: Omit<Asked, 'run'> & { run: Pick<Spoken, 'write'> }, { content }: Said): Promise<void> {
    const slash = parseSlash(content);
    const text = slash ? await this.#run(asked, slash) : explanation(asked.name);
    for (const piece of inPieces(text)) {
      await asked.run.write(piece);
      await sleep(piece_ms, undefined, { signal: asked.signal });
    }
  }

  async #run({ tools }: Pick<Asked, 'tools'>, slash: Slash): Promise<string> {
    const { toolbox, calls, at } = await tools();
    const answer = answerOf(slash, { toolbox, at });
    if (typeof answer === 'string') return answer;
    const { tool, input } = answer;
    const use = { id: randomUUID(), name: tool.name, arguments: JSON.stringify(input) };
    const [result] = await calls.all([use]);
    return shown(tool.title, result ?? { output: '' });
  }
}
/** What a reply shows of an output; the whole is with the call. */
const max_shown_length = 8_000;

function shown(title: string, { output, error }: ToolResult): string {
  const failed = error === undefined ? '' : `\`${title}\` failed: ${cut(error, max_shown_length)}`;
  const text = output === '' ? '' : fenced(output);
  return [failed, text].filter(Boolean).join('\n\n') || 'Done.';
}

/** JSON reads better in lines. */
function fenced(output: string): string {
  try {
    return `\`\`\`json\n${cut(JSON.stringify(JSON.parse(output), null, 2), max_shown_length)}\n\`\`\``;
  } catch {
    return cut(output, max_shown_length);
  }
}

/** The same text in pieces that don't part characters. */
function inPieces(text: string): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += piece_length) pieces.push(characters.slice(start, start + piece_length).join(''));
  return pieces;
}

function explanation(name: string): string {
  return `I am ${name}, an AI employee, but no model is configured, so I cannot think yet. This is the built-in offline responder.

An administrator gives me a model with these settings, and then starts the server again:

- \`PLATFORM_MODEL_BASE_URL\`: an OpenAI-compatible endpoint, such as \`https://api.openai.com/v1\`, or \`http://127.0.0.1:11434/v1\` for Ollama
- \`PLATFORM_MODEL_NAME\`: the name of a model there
- \`PLATFORM_MODEL_API_KEY\`: the key for it, where it needs one

In the configuration file they are \`base_url\`, \`name\` and \`api_key\` under \`agents.model\`. Or, while the server runs, a model for me alone: \`platform employee update\` (\`PUT /api/agents/{member_id}\`).

Until then I run commands. Type \`/help\` to see them.`;
}
