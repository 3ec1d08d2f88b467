import type { Message } from '../../chat/contract.js';
import type { Prompt } from '../model/prompt.js';
import type { Conversation } from './conversation.js';
import type { Recall, RecallInput } from './recall.js';

/** A message that joined the run, and its prompt. */
interface Joined {
  id: string;
  prompt: Prompt;
}

/** Context of one run: the conversation before it and the messages that join it. It follows edits and deletions. */
export class RunContext {
  readonly conversation: Conversation;
  readonly #recall: Recall;
  readonly #joined: Joined[] = [];
  /** Last edit or deletion in the session that the prompts include. */
  #changed_at: string | null;

  private constructor(recall: Recall, { conversation, changed_at }: { conversation: Conversation; changed_at: string | null }) {
    this.#recall = recall;
    this.conversation = conversation;
    this.#changed_at = changed_at;
  }

  static async begin(recall: Recall, input: RecallInput): Promise<RunContext> {
    return new RunContext(recall, await recall.begin(input));
  }

  /** Returns the prompts of the messages that people have sent since. First refreshes earlier prompts if messages were changed. */
  async join(input: RecallInput): Promise<Prompt[]> {
    const { run } = input;
    const messages = await run.joined();
    if (run.changed_at !== this.#changed_at) await this.#refresh(input);
    return messages.flatMap((message) => {
      const prompts = this.#recall.joined(input, [message]);
      this.#joined.push(...prompts.map((prompt) => ({ id: message.id, prompt })));
      return prompts;
    });
  }

  async #refresh(input: RecallInput): Promise<void> {
    const { run } = input;
    const changed_at = run.changed_at;
    this.conversation.refresh(await this.#recall.prompts(input));
    const now = new Map((await run.reread(this.#joined.map(({ id }) => id))).map((message) => [message.id, message]));
    for (const joined of this.#joined) this.#update(joined, { ...input, message: now.get(joined.id) });
    this.#changed_at = changed_at;
  }

  #update(joined: Joined, { message, ...input }: RecallInput & { message: Message | undefined }): void {
    const [prompt] = message ? this.#recall.joined(input, [message]) : [];
    if (!prompt) return;
    this.conversation.replace(joined.prompt, prompt);
    joined.prompt = prompt;
  }
}
