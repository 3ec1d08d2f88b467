import type { MembersService } from '../members/contract.js';
import { fail } from './codes.js';
import type { Message, MessageReport, MessageReported, Session } from './contract.js';
import type { Ports } from './ports.js';

interface ReportsParts {
  ports: Pick<Ports, 'db' | 'clock' | 'messages' | 'sessions' | 'reports' | 'emit'>;
  members: Pick<MembersService, 'get'>;
}

/** Limit of a member's reports, so that nobody floods owners and administrators. */
const max_per_hour = 20;
const hour_ms = 3_600_000;

/** Lets members report messages to the owners of their room, or to the administrators. */
export class MessageReports {
  readonly #parts: ReportsParts;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  /**
   * Reports a message; a repeat changes nothing and notifies nobody. Fails with `message_not_found`, `own_message`, `message_deleted` or
   * `too_many_reports`.
   */
  async report({ message_id, reason }: { message_id: string; reason: string }, member_id: number): Promise<MessageReport> {
    const { db, clock, sessions, reports, emit } = this.#parts.ports;
    return db.transaction(async () => {
      const { message, session } = await this.#visible(message_id, member_id);
      assertReportable(message, member_id);
      // Two requests at once must not notify twice.
      await sessions.lock([session.id]);
      const earlier = await reports.find(message_id, member_id);
      if (earlier) return { message_id, reported_at: earlier.created_at, repeated: true };
      await this.#assertNotTooMany(member_id);
      const created_at = clock.iso();
      await reports.add({ message_id, member_id, session_id: session.id, reason, created_at });
      await emit('chat.message_reported', await this.#event({ message, session }, { member_id, reason }));
      return { message_id, reported_at: created_at, repeated: false };
    });
  }

  async #visible(message_id: string, member_id: number): Promise<{ message: Message; session: Session }> {
    const { messages, sessions } = this.#parts.ports;
    const message = (await messages.find(message_id))?.message;
    const session = message && (await sessions.get(message.session_id, member_id));
    if (!message || !session) throw fail('message_not_found', `There is no message ${message_id} that you can see`);
    return { message, session };
  }

  async #assertNotTooMany(member_id: number): Promise<void> {
    const { clock, reports } = this.#parts.ports;
    const [first, ...others] = await reports.timesOf(member_id, new Date(clock.now() - hour_ms).toISOString());
    if (first === undefined || others.length + 1 < max_per_hour) return;
    const retry_after = Math.max(1, Math.ceil((Date.parse(first) + hour_ms - clock.now()) / 1_000));
    throw fail('too_many_reports', `You have reported ${max_per_hour} messages within an hour; try again later`, { retry_after });
  }

  /** The author of the message is not among the owners who get the report. */
  async #event(
    { message, session }: { message: Message; session: Session },
    { member_id, reason }: { member_id: number; reason: string },
  ): Promise<MessageReported> {
    const { ports, members } = this.#parts;
    const isRoom = session.target_type === 'room';
    const participants = isRoom ? await ports.sessions.members(session.id) : [];
    const owners = participants.filter(({ kind, role }) => kind === 'person' && role === 'owner').map((owner) => owner.member_id);
    return {
      session_id: session.id,
      message_id: message.id,
      room_title: isRoom ? session.title : null,
      owners: owners.filter((id) => id !== member_id && id !== message.sender_id),
      sender_id: message.sender_id,
      sender_name: message.sender_name,
      reported_by: member_id,
      name: (await members.get(member_id))?.nickname ?? '',
      reason,
    };
  }
}

function assertReportable({ id, sender_id, deleted_at }: Message, member_id: number): void {
  if (sender_id === member_id) throw fail('own_message', `Message ${id} is your own; you can delete it`);
  if (deleted_at !== null) throw fail('message_deleted', `Message ${id} was deleted`);
}
