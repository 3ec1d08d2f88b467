import { setTimeout as sleep } from 'node:timers/promises';
import type { Run } from '../chat/contract.js';
import type { VirtualMember } from '../members/contract.js';
import { parseSlash, type SlashCommands } from './slash.js';

/** As a person reads: a few characters at a time. */
const piece_length = 24;
const piece_ms = 12;

/** Answers where no model is configured: says what is missing, and runs commands. */
export class OfflineResponder {
  readonly #commands: SlashCommands;

  constructor(commands: SlashCommands) {
    this.#commands = commands;
  }

  async answer(employee: VirtualMember, run: Run, signal: AbortSignal): Promise<void> {
    const slash = parseSlash(run.message.content);
    const text = slash ? await this.#commands.run(slash, run) : explanation(employee.name);
    for (const piece of inPieces(text)) {
      await run.write(piece);
      await sleep(piece_ms, undefined, { signal });
    }
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

In the configuration file they are \`base_url\`, \`name\` and \`api_key\` under \`agents.model\`.

Until then I run commands. Type \`/help\` to see them.`;
}
