import { Op } from '../../../kernel/contract/index.js';
import type { Models, ReportRow } from '../models.js';

/** Table `chat_reports`: reports of messages, at most one of a member for each message. */
export class ReportRows {
  readonly #model: Models['reports'];

  constructor({ reports }: Pick<Models, 'reports'>) {
    this.#model = reports;
  }

  async find(message_id: string, member_id: number): Promise<ReportRow | undefined> {
    return (await this.#model.findOne({ where: { message_id, member_id }, raw: true })) ?? undefined;
  }

  /** Returns the times of the member's reports after a time, earliest first. */
  async timesOf(member_id: number, after: string): Promise<string[]> {
    const where = { member_id, created_at: { [Op.gt]: after } };
    const rows = await this.#model.findAll({ attributes: ['created_at'], where, order: ['created_at'], raw: true });
    return rows.map(({ created_at }) => created_at);
  }

  /** Lock the session first. */
  async add(report: ReportRow): Promise<void> {
    await this.#model.create(report);
  }

  async deleteOf(sessions: readonly string[]): Promise<void> {
    await this.#model.destroy({ where: { session_id: [...sessions] } });
  }

  /** Removes the reports of a member that is deleted. */
  async forgetMember(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }
}
