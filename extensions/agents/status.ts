import type { ChatService } from '../chat/contract.js';
import type { Status, VirtualDetails } from '../members/contract.js';

/** What AI employees do now, as members shows it. */
export class StatusBoard implements VirtualDetails {
  readonly #chat: Pick<ChatService, 'working'>;

  constructor(chat: Pick<ChatService, 'working'>) {
    this.#chat = chat;
  }

  async details(ids: readonly number[]): Promise<ReadonlyMap<number, { status: Status; skills: string[] }>> {
    const working = await this.#chat.working(ids);
    return new Map(ids.map((id) => [id, { status: statusOf(working.get(id)), skills: [] }]));
  }
}

/** It waits where nothing of it goes on without a person. */
function statusOf(tasks: { running: number; waiting: number } | undefined): Status {
  if (!tasks) return 'idle';
  return tasks.running > 0 ? 'working' : 'waiting';
}
