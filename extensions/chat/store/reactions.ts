import type { Database } from '../../../kernel/contract/index.js';
import type { Message, Reaction, ReactionCount } from '../contract.js';
import type { Models } from '../models.js';

interface MemberReaction {
  message_id: string;
  session_id: string;
  member_id: number;
  emoji: string;
}

/** Table `chat_reactions`, and the counts of its rows in `chat_messages`, so that reading messages needs no further statement. */
export class Reactions {
  readonly #db: Database;
  readonly #models: Pick<Models, 'messages' | 'reactions'>;

  constructor(db: Database, models: Pick<Models, 'messages' | 'reactions'>) {
    this.#db = db;
    this.#models = models;
  }

  async has({ message_id, member_id, emoji }: MemberReaction): Promise<boolean> {
    return (await this.#models.reactions.count({ where: { message_id, member_id, emoji } })) > 0;
  }

  /** Lock the session first. */
  async add(reaction: MemberReaction, created_at: string): Promise<ReactionCount[]> {
    await this.#models.reactions.create({ ...reaction, created_at });
    return this.#count(reaction.message_id);
  }

  /** Lock the session first. */
  async remove({ message_id, member_id, emoji }: MemberReaction): Promise<ReactionCount[]> {
    await this.#models.reactions.destroy({ where: { message_id, member_id, emoji } });
    return this.#count(message_id);
  }

  /** Marks the member's own reactions in messages. Without any reaction it reads nothing. */
  async markMine<Record extends Message>(messages: readonly Record[], member_id: number): Promise<Record[]> {
    const ids = messages.filter(({ reactions }) => reactions.length > 0).map(({ id }) => id);
    if (ids.length === 0) return [...messages];
    const rows = await this.#models.reactions.findAll({ where: { message_id: ids, member_id }, raw: true });
    const mine = new Set(rows.map(({ message_id, emoji }) => `${message_id} ${emoji}`));
    const marked = (id: string, reactions: readonly Reaction[]) =>
      reactions.map((reaction) => ({ ...reaction, mine: mine.has(`${id} ${reaction.emoji}`) }));
    return messages.map((message) => ({ ...message, reactions: marked(message.id, message.reactions) }));
  }

  /** Removes the reactions to a message; its counts are emptied with it. */
  async clear(message_id: string): Promise<void> {
    await this.#models.reactions.destroy({ where: { message_id } });
  }

  async deleteOf(sessions: readonly string[]): Promise<void> {
    await this.#models.reactions.destroy({ where: { session_id: [...sessions] } });
  }

  /** Removes the reactions of a member that is deleted. */
  async forgetMember(member_id: number): Promise<void> {
    const { reactions } = this.#models;
    const rows = await reactions.findAll({ attributes: ['message_id'], where: { member_id }, group: ['message_id'], raw: true });
    await reactions.destroy({ where: { member_id } });
    for (const { message_id } of rows) await this.#count(message_id);
  }

  /** Counts the reactions of a message, the earliest first, and stores the counts with it. */
  async #count(message_id: string): Promise<ReactionCount[]> {
    const { fn, col } = this.#db.expressions;
    const rows = (await this.#models.reactions.findAll({
      attributes: ['emoji', [fn('count', col('member_id')), 'count'], [fn('min', col('created_at')), 'first_at']],
      where: { message_id },
      group: ['emoji'],
      raw: true,
    })) as unknown as (ReactionCount & { first_at: string })[];
    const sorted = rows.sort((one, other) => (one.first_at < other.first_at ? -1 : 1));
    const counts = sorted.map(({ emoji, count }) => ({ emoji, count: Number(count) }));
    await this.#models.messages.update({ reactions: counts }, { where: { id: message_id } });
    return counts;
  }
}
