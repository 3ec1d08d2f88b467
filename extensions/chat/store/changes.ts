import { Op } from '../../../kernel/contract/index.js';
import type { Image, Mention } from '../contract.js';
import type { Models } from '../models.js';

type ChangeModels = Pick<Models, 'messages' | 'sessions' | 'tasks'>;

/** A message and the time of its change. */
export interface Change {
  id: string;
  session_id: string;
  now: string;
}

/** Stores edits and deletions of messages. */
export class ChangedRows {
  readonly #models: ChangeModels;

  constructor(models: ChangeModels) {
    this.#models = models;
  }

  async edit({ id, now }: Change, content: string, mentions: readonly Mention[]): Promise<void> {
    await this.#models.messages.update(
      { content, mentions: [...mentions], edited_at: now, changed_at: now, updated_at: now },
      { where: { id } },
    );
  }

  /** Empties a message. Its row stays, because others refer to it. */
  async empty({ id, now }: Change): Promise<void> {
    const nothing = { content: '', images: [], image_bytes: 0, files: [], mentions: [], tool_calls: [], reactions: [] };
    await this.#models.messages.update({ ...nothing, deleted_at: now, changed_at: now, updated_at: now }, { where: { id } });
  }

  /** Replaces the beginning of a message in the list of sessions, if it is the last one, and in the tasks that answer it. */
  async preview({ id, session_id }: Change, { head, created_at }: { head: string; created_at: string }): Promise<void> {
    const { sessions, tasks } = this.#models;
    await sessions.update({ last_message_preview: head }, { where: { id: session_id, last_message_at: created_at } });
    await tasks.update({ title: head }, { where: { session_id, message_id: id } });
  }

  async retitle(session_id: string, title: string): Promise<void> {
    await this.#models.sessions.update({ title }, { where: { id: session_id } });
  }

  /** Returns the images of all messages of a session. */
  async imagesOf(session_id: string): Promise<Image[]> {
    const where = { session_id, image_bytes: { [Op.gt]: 0 } };
    const rows = await this.#models.messages.findAll({ attributes: ['images'], where, raw: true });
    return rows.flatMap(({ images }) => images);
  }
}
