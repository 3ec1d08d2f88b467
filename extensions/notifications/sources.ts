import { type Context, type PluginFailed, roomNotice } from '../../kernel/contract/index.js';
import type { AgentsEvents } from '../agents/contract.js';
import type { Chat, ChatEvents, Mentioned, MessageChanged, MessageMissed, MessageReported } from '../chat/contract.js';
import type { MarketplaceEvents, VersionPublished, VersionReviewed } from '../marketplace/contract.js';
import type { MembersService } from '../members/contract.js';
import type { NodeChanged, NodesEvents } from '../nodes/contract.js';
import type { RunReport, ScheduleMentioned, SchedulesEvents } from '../schedules/contract.js';
import type { Notice, Notifications } from './contract.js';
import { chatLink } from './links.js';
import { mentionNotices } from './mentions.js';
import { messageReported } from './message-reports.js';
import { listenToRooms } from './rooms.js';
import type { HandledEvents } from './store/handled-events-sql.js';
import type { Items } from './store/items-sql.js';

interface Parts {
  handledEvents: HandledEvents;
  members: MembersService;
  items: Pick<Items, 'summarise'>;
  notify: (notice: Notice) => Promise<unknown>;
}

type NoticeResult = Notice | undefined | readonly Notice[];
type On = <Payload>(topic: string, noticeOf: (payload: Payload) => NoticeResult | Promise<NoticeResult>) => void;

/** Turns events of other extensions into notifications, each event into one. Events of inactive members are ignored. */
export function listenToSources(
  ctx: Pick<Context<Notifications>, 'listen' | 'find'>,
  { handledEvents, members, items, notify }: Parts,
): void {
  const on: On = <Payload>(topic: string, noticeOf: (payload: Payload) => NoticeResult | Promise<NoticeResult>) =>
    ctx.listen<Payload>(topic, ({ payload, cursor }) =>
      handledEvents.handleOnce(topic, cursor, async () => {
        const notices = await noticeOf(payload);
        for (const notice of notices === undefined ? [] : [notices].flat()) await notify(notice);
      }),
    );
  onConversations(on, ctx, members);
  listenToRooms(ctx, { handledEvents, members, notify });
  // Repeating it does no harm.
  ctx.listen<MessageChanged>('chat.message_changed', async ({ payload: { preview, ...about } }) => {
    const receivers = await ctx.find<Chat>('chat')?.participants(about.session_id);
    if (receivers) await items.summarise(receivers, about, preview);
  });
  onPlatformEvents(on, members);
}

/** Messages between people and AI employees. */
function onConversations(on: On, ctx: Pick<Context<Notifications>, 'find'>, members: MembersService): void {
  const canSee = async (session_id: string, member_id: number) =>
    (await ctx.find<Chat>('chat')?.session(session_id, member_id)) !== undefined;
  /** Returns the members who have neither read the session nor lost access to it in the meantime. */
  const unreadBy = (session_id: string) => async (member_ids: readonly number[]) => {
    const chat = ctx.find<Chat>('chat');
    if (!chat) return member_ids;
    const unread: number[] = [];
    for (const id of member_ids) if (((await chat.session(session_id, id))?.unread_count ?? 0) > 0) unread.push(id);
    return unread;
  };

  on<AgentsEvents['agents.limit_reached']>('agents.limit_reached', ({ requested_by, member_id, session_id, task_id, code, message }) => {
    const title = `An AI employee was stopped: ${code}`;
    const about = { session_id, task_id, from_member_id: member_id };
    return { to: [requested_by], source: 'ai_message', kind: 'limit_reached', about, link: chatLink(session_id), title, summary: message };
  });
  on<AgentsEvents['agents.approval_required']>('agents.approval_required', async ({ approval, members: to }) => {
    const name = (await members.get(approval.member_id))?.nickname ?? 'An AI employee';
    const { session_id, message_id, task_id, id: approval_id, member_id: from_member_id, room_title } = approval;
    const notice = room_title === null ? '' : ` ${roomNotice({ session_id, title: room_title })}`;
    const summary = `The approval expires at ${approval.expires_at}.${notice}`;
    const about = { session_id, message_id, task_id, approval_id, from_member_id };
    const title = `${name} asks for approval: ${approval.name}`;
    return {
      to,
      source: 'ai_message',
      kind: 'approval',
      about,
      link: chatLink(session_id),
      title,
      summary,
      key: `approval ${approval_id}`,
    };
  });
  on<ChatEvents['chat.reply_ended']>('chat.reply_ended', ({ name, requested_by, status, preview, ...ids }) => {
    const { session_id, message_id, task_id, member_id: from_member_id } = ids;
    const title = status === 'completed' ? `${name} has answered` : `${name} could not answer`;
    const about = { session_id, message_id, task_id, from_member_id };
    const shown = { title, summary: preview, link: chatLink(session_id), key: `reply ${message_id}`, filter: unreadBy(session_id) };
    return { to: [requested_by], source: 'ai_message', kind: 'answer', about, ...shown };
  });
  on<MessageMissed>('chat.message_missed', async ({ to, session_id, message_id, sender_id, sender_name, preview }) => {
    const isEmployee = (await members.employee(sender_id)) !== undefined;
    return {
      to,
      source: isEmployee ? 'ai_message' : 'system',
      kind: 'direct_message',
      about: { session_id, message_id, from_member_id: sender_id },
      link: chatLink(session_id),
      title: `${sender_name} has written to you`,
      summary: preview,
      key: `conversation ${session_id}`,
      until_read: true,
      filter: unreadBy(session_id),
    };
  });
  on<MessageReported>('chat.message_reported', (reported) => messageReported(members, reported));
  on<Mentioned>('chat.mentioned', ({ names, sender_id, session_id, message_id, task_id, text }) => {
    const about = { session_id, message_id, task_id, from_member_id: sender_id };
    // A title doesn't count as unread.
    const filter = message_id === null ? undefined : unreadBy(session_id);
    const place = { about, link: chatLink(session_id), summary: text, filter };
    return mentionNotices(members, {
      names,
      sender_id,
      contextFor: async ({ id }) => ((await canSee(session_id, id)) ? place : undefined),
    });
  });
}

/** Events of schedules, plugins, nodes and budgets. */
function onPlatformEvents(on: On, members: MembersService): void {
  on<AgentsEvents['agents.budget']>('agents.budget', budget);
  on<ScheduleMentioned>('schedules.mentioned', (mentioned) => scheduleMentions(members, mentioned));
  on<PluginFailed>('plugins.failed', ({ name, message }) => {
    const title = `The extension '${name}' failed`;
    const about = { extension_id: name };
    return {
      to: 'admins',
      source: 'system',
      kind: 'plugin_failed',
      about,
      link: extensionLink(name),
      title,
      summary: message,
      key: `plugin ${name}`,
    };
  });
  // A node's return isn't notified: opening the notification of its loss is enough.
  on<NodesEvents['nodes.changed']>('nodes.changed', nodeChanged);
  on<NodesEvents['nodes.incident']>('nodes.incident', ({ id, code, message }) => {
    const shown = { title: incidents[code], summary: message, link: `/nodes/${id}`, key: `node ${id} ${code}` };
    return { to: 'admins', source: 'system', kind: 'node_incident', about: { node_id: id }, ...shown };
  });
  on<MarketplaceEvents['marketplace.published']>('marketplace.published', versionPublished);
  on<MarketplaceEvents['marketplace.reviewed']>('marketplace.reviewed', versionReviewed);
  on<SchedulesEvents['schedules.reported']>('schedules.reported', scheduleReported);
  on<SchedulesEvents['schedules.stopped']>('schedules.stopped', ({ schedule_id, name, reason, result }) => {
    return {
      to: 'admins',
      source: 'schedule',
      kind: 'schedule_stopped',
      about: { schedule_id },
      link: `/schedules/${schedule_id}`,
      title: `The schedule '${name}' was stopped`,
      summary: lines(reasons[reason], result),
      key: `stopped ${schedule_id}`,
    };
  });
}

const incidents: Readonly<Record<NodesEvents['nodes.incident']['code'], string>> = {
  out_of_memory: 'A work node ran out of memory',
  died: 'A work node ended and was started again',
  unhealthy: 'A work node is not healthy',
};

/** Undefined if there is nothing to notify: it is back, or an incident was already notified. */
function nodeChanged({ id, name, status, previous, reason, reason_code }: NodeChanged): Notice | undefined {
  const isUnavailable = status === 'offline' || status === 'error';
  if (!isUnavailable || status === previous || reason_code === 'out_of_memory') return undefined;
  const title = status === 'offline' ? `The work node '${name}' is offline` : `The work node '${name}' has failed`;
  const shown = { title, summary: reason, link: `/nodes/${id}`, key: `node ${id} ${status} ${reason_code}` };
  return { to: 'admins', source: 'system', kind: 'node_offline', about: { node_id: id }, ...shown };
}

function versionPublished({ id, version, name, type, publisher }: VersionPublished): Notice {
  const title = `The ${type} '${name}' ${version} is waiting for review`;
  return {
    to: 'admins',
    source: 'system',
    kind: 'review_waiting',
    about: { extension_id: id },
    link: extensionLink(id),
    title,
    summary: `'${publisher.username}' published it as ${id}.`,
    key: `review ${id} ${version}`,
  };
}

/** Undefined if the publisher reviewed it, or isn't a member of this platform. */
function versionReviewed({ id, version, name, type, status, reason, publisher, reviewer }: VersionReviewed): Notice | undefined {
  if (!publisher || publisher.member_id === reviewer.member_id) return undefined;
  const title = `The ${type} '${name}' ${version} was ${status}`;
  const summary = reason ?? `'${reviewer.username}' has decided it.`;
  const shown = { title, summary, link: extensionLink(id), key: `reviewed ${id} ${version} ${status}` };
  return { to: [publisher.member_id], source: 'system', kind: 'review_decided', about: { extension_id: id }, ...shown };
}

const reasons = { five_failures: 'Five runs in a row failed, so it was disabled.' } as const;

function budget({ name, percent, used, limit, day, member_id, resets_at }: AgentsEvents['agents.budget']): Notice {
  const title =
    percent === 100 ? `${name} has used all of today's tokens and is paused` : `${name} has used ${percent} % of today's tokens`;
  const summary = `${used} of ${limit} tokens on ${day} (UTC). The next day begins at ${resets_at}.`;
  const key = `budget ${member_id} ${day} ${percent}`;
  return { to: 'admins', source: 'system', kind: 'budget', about: { from_member_id: member_id }, title, summary, key };
}

function scheduleReported({ schedule_id, run_id, name, status, error_code, result, created_by }: RunReport): Notice {
  const shared = { to: [created_by], source: 'schedule', about: { schedule_id, run_id }, link: `/schedules/${schedule_id}` } as const;
  if (status === 'success') return { ...shared, kind: 'run_finished', title: `The schedule '${name}' has run`, summary: result };
  const title = `The schedule '${name}' did not succeed: ${status}`;
  // Equal failures are counted, whatever their messages.
  const key = `run ${schedule_id} ${status} ${error_code}`;
  return { ...shared, kind: 'run_failed', title, summary: lines(error_code ?? '', result), key };
}

function extensionLink(id: string): string {
  return `/extensions/${encodeURIComponent(id)}`;
}

function lines(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** Notifies only administrators: nobody else sees schedules. */
function scheduleMentions(members: Parts['members'], { names, schedule_id, name, member_id: sender_id }: ScheduleMentioned) {
  const about = { schedule_id, from_member_id: sender_id };
  const place = { about, link: `/schedules/${schedule_id}`, summary: `In the schedule '${name}'.` };
  return mentionNotices(members, { names, sender_id, contextFor: async ({ role }) => (role === 'admin' ? place : undefined) });
}
