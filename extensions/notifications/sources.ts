import type { Context, PluginFailed } from '../../kernel/contract/index.js';
import type { AgentsEvents } from '../agents/contract.js';
import type { ChatEvents } from '../chat/contract.js';
import type { MarketplaceEvents, VersionPublished, VersionReviewed } from '../marketplace/contract.js';
import type { MembersService } from '../members/contract.js';
import type { NodeChanged, NodesEvents } from '../nodes/contract.js';
import type { RunReport, SchedulesEvents } from '../schedules/contract.js';
import type { Notice, Notifications } from './contract.js';
import type { Heard } from './store/heard.js';

interface Parts {
  heard: Heard;
  members: MembersService;
  notify: (notice: Notice) => Promise<unknown>;
}

/** Turns what happens elsewhere into notifications, each event into one. Whoever isn't active tells nothing. */
export function hear(ctx: Pick<Context<Notifications>, 'listen'>, { heard, members, notify }: Parts): void {
  const on = <Payload>(topic: string, noticeOf: (payload: Payload) => Notice | undefined | Promise<Notice>) =>
    ctx.listen<Payload>(topic, ({ payload, cursor }) =>
      heard.once(topic, cursor, async () => {
        const notice = await noticeOf(payload);
        if (notice) await notify(notice);
      }),
    );

  on<AgentsEvents['agents.budget']>('agents.budget', budget);
  on<AgentsEvents['agents.limit_reached']>('agents.limit_reached', ({ requested_by, code, message }) => {
    return { to: [requested_by], source: 'ai_message', title: `An AI employee was stopped: ${code}`, summary: message };
  });
  on<AgentsEvents['agents.approval_required']>('agents.approval_required', async ({ approval, members: to }) => {
    const name = (await members.get(approval.member_id))?.nickname ?? 'An AI employee';
    const summary = `It waits until ${approval.expires_at}.`;
    return { to, source: 'ai_message', title: `${name} asks for approval: ${approval.name}`, summary, key: `approval ${approval.id}` };
  });
  on<ChatEvents['chat.reply_ended']>('chat.reply_ended', ({ name, requested_by, status, preview, message_id }) => {
    const title = status === 'completed' ? `${name} has answered` : `${name} could not answer`;
    return { to: [requested_by], source: 'ai_message', title, summary: preview, key: `reply ${message_id}` };
  });
  on<PluginFailed>('plugins.failed', ({ name, message }) => {
    return { to: 'admins', source: 'system', title: `The extension '${name}' failed`, summary: message, key: `plugin ${name}` };
  });
  // That it is back nobody has to be told of: the notification of its going is enough to look.
  on<NodesEvents['nodes.changed']>('nodes.changed', nodeChanged);
  on<NodesEvents['nodes.incident']>('nodes.incident', ({ id, code, message }) => {
    return { to: 'admins', source: 'system', title: incidents[code], summary: message, key: `node ${id} ${code}` };
  });
  on<MarketplaceEvents['marketplace.published']>('marketplace.published', versionPublished);
  on<MarketplaceEvents['marketplace.reviewed']>('marketplace.reviewed', versionReviewed);
  on<SchedulesEvents['schedules.reported']>('schedules.reported', scheduleReported);
  on<SchedulesEvents['schedules.stopped']>('schedules.stopped', ({ schedule_id, name, reason, result }) => {
    return {
      to: 'admins',
      source: 'schedule',
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

/** Undefined where nothing is to be told: it is back, or an incident has told it already. */
function nodeChanged({ id, name, status, previous, reason, reason_code }: NodeChanged): Notice | undefined {
  const gone = status === 'offline' || status === 'error';
  if (!gone || status === previous || reason_code === 'out_of_memory') return undefined;
  const title = status === 'offline' ? `The work node '${name}' is offline` : `The work node '${name}' doesn't work`;
  return { to: 'admins', source: 'system', title, summary: reason, key: `node ${id} ${status} ${reason_code}` };
}

function versionPublished({ id, version, name, type, publisher }: VersionPublished): Notice {
  const title = `The ${type} '${name}' ${version} waits for its review`;
  return {
    to: 'admins',
    source: 'system',
    title,
    summary: `'${publisher.username}' has published it as ${id}.`,
    key: `review ${id} ${version}`,
  };
}

/** Undefined where the publisher has judged it, or is none of this platform. */
function versionReviewed({ id, version, name, type, status, reason, publisher, reviewer }: VersionReviewed): Notice | undefined {
  if (!publisher || publisher.member_id === reviewer.member_id) return undefined;
  const title = `The ${type} '${name}' ${version} was ${status}`;
  const summary = reason ?? `'${reviewer.username}' has decided it.`;
  return { to: [publisher.member_id], source: 'system', title, summary, key: `reviewed ${id} ${version} ${status}` };
}

const reasons = { five_failures: 'Five runs in a row have failed, so it was switched off.' } as const;

function budget({ name, percent, used, limit, day, member_id, resets_at }: AgentsEvents['agents.budget']): Notice {
  const title =
    percent === 100 ? `${name} has used all of today's tokens and is paused` : `${name} has used ${percent} % of today's tokens`;
  const summary = `${used} of ${limit} tokens on ${day} (UTC). The next day begins at ${resets_at}.`;
  return { to: 'admins', source: 'system', title, summary, key: `budget ${member_id} ${day} ${percent}` };
}

function scheduleReported({ schedule_id, name, status, error_code, result, created_by }: RunReport): Notice {
  const to = [created_by];
  if (status === 'success') return { to, source: 'schedule', title: `The schedule '${name}' has run`, summary: result };
  const title = `The schedule '${name}' did not succeed: ${status}`;
  // Failures alike are counted, whatever each has said.
  return { to, source: 'schedule', title, summary: lines(error_code ?? '', result), key: `run ${schedule_id} ${status} ${error_code}` };
}

function lines(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
