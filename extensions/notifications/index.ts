import type { Cleaner, Context, Extension } from '../../kernel/contract/index.js';
import type { ChatEvents, ChatRead, ChatReadSlot } from '../chat/contract.js';
import type { Members, MembersEvents, SendMail } from '../members/contract.js';
import { Announcer } from './announcer.js';
import { builtinChannels } from './channels/builtin.js';
import type { Channel } from './channels/channel.js';
import { Directory } from './channels/directory.js';
import { mailSender } from './channels/email.js';
import { readSmtp } from './channels/smtp.js';
import { codes } from './codes.js';
import type { ChannelSlot, Notifications } from './contract.js';
import { ChannelTester } from './deliveries/channel-tester.js';
import { deliveryWork } from './deliveries/work.js';
import { examples } from './examples.js';
import { frameReviewOf } from './frame-review.js';
import { handlersOf } from './handlers.js';
import { Housekeeping } from './housekeeping.js';
import { migration as m0001 } from './migrations/0001-notifications.js';
import { migration as m0002 } from './migrations/0002-kinds.js';
import { migration as m0003 } from './migrations/0003-delivery-owners.js';
import { defineModels } from './models.js';
import { Notifier } from './notifier.js';
import { operations } from './operations.js';
import { Preferences } from './preferences/preferences.js';
import { pushedFrames } from './pushed-frames.js';
import { Service } from './service.js';
import { listenToSources } from './sources.js';
import { Deliveries } from './store/deliveries-sql.js';
import { HandledEvents } from './store/handled-events-sql.js';
import { Items } from './store/items-sql.js';
import { MemberRows } from './store/members.js';
import { Retention } from './store/retention.js';
import { Watermarks } from './store/watermarks.js';

const channelSlot: ChannelSlot = 'notifications.channel';
const cleaners = 'maintenance.cleanup';
/** Timeout of the connection for mails that somebody waits for. */
const mail_timeout_ms = 5_000;

async function activate(ctx: Context<Notifications>): Promise<void> {
  const { db, clock, log, signal, secrets } = ctx;
  const members = ctx.use<Members>('members');
  const models = defineModels(db);
  const [rows, items] = [new MemberRows(db, models), new Items(db, models.items)];
  const [deliveries, watermarks] = [new Deliveries(db, models.deliveries), new Watermarks(models)];
  const track = (work: Promise<unknown>) => ctx.track(work);
  const smtp = readSmtp(ctx.config);
  const builtin = builtinChannels({ fetch: (url, options) => ctx.fetch(url, options), smtp, clock });
  const directory = new Directory(builtin, () => ctx.slot<Channel>(channelSlot).map(({ value }) => value));
  const preferences = new Preferences({ members: rows, directory, secrets, checkUrl: (url) => ctx.checkUrl(url) });
  ctx.pushes(pushedFrames);
  const push = (member_id: number, frame: { type: string; data: object }) => ctx.push({ members: [member_id] }, frame);
  const announcer = new Announcer({ rows, items, presence: ctx.presence, log, push, track });
  const attempts = ctx.counter('deliveries_total', 'Attempts to deliver a notification through a channel, by outcome', 'outcome');
  const random = () => Math.random();
  const worker = ctx.work(deliveryWork({ rows, items, deliveries, directory, preferences, log, random, attempts, base_url: ctx.baseUrl }));
  await worker.recover();
  const notifier = new Notifier({
    db,
    clock,
    members,
    rows,
    items,
    deliveries,
    announce: (announced) => announcer.announce(announced),
    deliver: (ids) => {
      for (const id of ids) worker.adopt(id);
      void worker.wake();
    },
  });
  const housekeeping = new Housekeeping({ rows, watermarks, retention: new Retention(db, models), members, clock, signal });
  const isOnline = async (id: number) => (await ctx.presence.statuses([id])).get(id) !== 'offline';
  const channelTester = new ChannelTester({ rows, directory, preferences, clock, log, isOnline });
  const service = new Service({ rows, items, watermarks, deliveries, announcer, clock });

  ctx.take<MembersEvents['members.deleted']>('members.deleted', ({ id }) => rows.forget(id));
  ctx.take<ChatEvents['chat.session_left']>('chat.session_left', (left) => service.leaveSession(left));
  const readConversation: ChatRead = ({ session_id, member_id }) => service.readConversation(member_id, session_id);
  ctx.contribute('chat.read' satisfies ChatReadSlot, readConversation);
  if (smtp) {
    const send = mailSender({ smtp, clock, timeout_ms: mail_timeout_ms });
    ctx.contribute('members.mail', ((mail) => send({ ...mail, signal })) satisfies SendMail);
  }
  ctx.contribute('frames.review', frameReviewOf(items));
  listenToSources(ctx, { handledEvents: new HandledEvents(db), members, items, notify: (notice) => notifier.notify(notice) });
  ctx.every({ name: 'fold', every_ms: 5_000 }, () => housekeeping.fold());
  ctx.metric('running_deliveries', 'Notifications that this process is delivering', () => worker.running);
  ctx.contribute(cleaners, { name: 'inbox', clean: () => housekeeping.clean() } satisfies Cleaner);
  ctx.provide({ notify: (notice) => notifier.notify(notice) });
  ctx.examples(examples);
  ctx.expose(operations, handlersOf({ service, notifier, preferences, directory, channelTester }), codes);
}

export default { migrations: [m0001, m0002, m0003], activate } satisfies Extension<Notifications>;
