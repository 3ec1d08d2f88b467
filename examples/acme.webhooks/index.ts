import { createHash } from 'node:crypto';
import { type Delivery, isFailure, type Plugin, type PluginContext, type Verbatim } from 'platform/contract';
import { codes, fail } from './codes.js';
import type { Hook, Own, Received } from './contract.js';
import { Hooks, type StoredHook } from './hooks.js';
import { operations } from './operations.js';
import { checkSignature } from './signature.js';
import { textOf } from './text.js';

interface Settings {
  template: string;
  max_length: number;
  tolerance_s: number;
}

/** How long a delivery is retried while the session or the platform is busy. */
const patience_ms = 10 * 60_000;

const plugin: Plugin<Own> = {
  async activate(ctx) {
    const hooks = new Hooks(ctx.storage, ctx.clock);
    // Outside of a call, so the plugin acts as its own member.
    const { id: itself } = (await ctx.call('auth.me', {})) as { id: number };
    const settings = ctx.config as unknown as Settings;
    let posted = 0;

    ctx.expose(
      operations,
      {
        async 'acme.webhooks.create'({ session_id, name }, { caller }) {
          const hook = await hooks.make({ session_id, name, owner: caller.member_id });
          try {
            // As the caller, who must be a member of the session.
            await ctx.call('sessions.add_member', { session_id, member_id: itself });
          } catch (fault) {
            await hooks.remove(hook.id);
            throw fault;
          }
          return { ...shown(hook), secret: hook.secret };
        },
        async 'acme.webhooks.list'(_input, { caller }) {
          return (await hooks.all()).filter(({ owner }) => owner === caller.member_id).map(shown);
        },
        async 'acme.webhooks.delete'({ id }, { caller }) {
          const hook = await hooks.get(id);
          if (hook?.owner !== caller.member_id) throw fail('hook_not_found', `You have no hook ${id}`);
          await hooks.remove(id);
          await leave(ctx, hook.session_id, { hooks, itself });
          return undefined;
        },
        async 'acme.webhooks.receive'({ id }, { verbatim = { headers: {}, body: Buffer.alloc(0) } }) {
          const hook = await hooks.get(id);
          const { tolerance_s } = settings;
          const signature = checkSignature(verbatim, { secret: hook?.secret, tolerance_s, now: ctx.clock.now() });
          const marks = marksOf(verbatim, signature);
          const duplicate = await hooks.knows(id, marks);
          // Stored before the answer; posted outside of this request, because its caller is anonymous.
          const text = textOf(verbatim, { ...settings, hook: hook?.name ?? '' });
          if (!duplicate) await ctx.emit('acme.webhooks.received', { hook: id, marks, text });
          return { accepted: true, duplicate };
        },
      },
      codes,
    );

    // Handled one by one on one instance, so that a delivery sent twice concurrently is posted once.
    ctx.listen<Received>('acme.webhooks.received', async ({ payload: { hook: id, marks, text }, emitted_at }) => {
      const hook = await hooks.get(id);
      if (!hook || (await hooks.knows(id, marks))) return;
      const error = await post(ctx, { hook, text, emitted_at });
      await hooks.ended(id, error === undefined ? { marks } : { error });
      if (error === undefined) posted += 1;
    });
    ctx.listen('chat.sessions_deleted', async ({ payload: { ids } }: Delivery<{ ids: string[] }>) => {
      for (const hook of await hooks.all()) if (ids.includes(hook.session_id)) await hooks.remove(hook.id);
    });
    ctx.listen('members.deleted', async ({ payload: { id } }: Delivery<{ id: number }>) => {
      for (const hook of await hooks.all()) if (hook.owner === id) await hooks.remove(hook.id);
    });
    ctx.metric('posted', 'Deliveries that were posted since the plugin was started', () => posted);
  },
};

interface Posting {
  hook: StoredHook;
  text: string;
  emitted_at: string;
}

/** Returns why a delivery could not be posted; throws if it can be retried. */
async function post(ctx: PluginContext<Own>, { hook, text, emitted_at }: Posting): Promise<string | undefined> {
  try {
    await ctx.call('chat.send', { session_id: hook.session_id, content: text });
    return undefined;
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    const isPassing = fault.status >= 500 || fault.status === 429 || fault.code === 'session_busy';
    if (isPassing && ctx.clock.now() - Date.parse(emitted_at) < patience_ms) throw fault;
    ctx.log.warn('A delivery was not posted', { hook: hook.id, code: fault.code });
    return fault.message;
  }
}

/** Returns the marks of a delivery: the sender's id, and the signature, which is the same if the body is sent again. */
function marksOf({ headers }: Verbatim, signature: string): string[] {
  const id = headers['x-github-delivery'] ?? headers['x-webhook-id'];
  const marks = id === undefined ? [signature] : [id, signature];
  return marks.map((mark) => createHash('sha256').update(mark).digest('base64url').slice(0, 22));
}

/** Leaves a session that has no hook any more. */
async function leave(ctx: PluginContext<Own>, session_id: string, { hooks, itself }: { hooks: Hooks; itself: number }): Promise<void> {
  if ((await hooks.all()).some((hook) => hook.session_id === session_id)) return;
  await ctx.call('sessions.remove_member', { session_id, member_id: itself }).catch((fault: unknown) => {
    // It was removed already, or the caller has left the session.
    if (!isFailure(fault) || fault.status !== 404) throw fault;
  });
}

function shown({ owner: _owner, secret: _secret, ...hook }: StoredHook): Hook {
  return { ...hook, path: `/api/x/acme.webhooks/in/${hook.id}` };
}

export default plugin;
