import {
  type Action,
  ago,
  Box,
  type Column,
  Log,
  number,
  type Panel,
  type PanelProps,
  Records,
  Text,
  useCall,
  useFailed,
  useKeys,
  useNotify,
  useOpened,
} from '../../tui/kit/index.js';
import type { Notification, NotificationDetail, NotificationsApi } from './contract.js';

type Props = PanelProps<NotificationsApi>;

const page_size = 200;

function View({ client, size, clock, focused, opened }: Props) {
  const notify = useNotify();
  const failed = useFailed();
  const read = (signal: AbortSignal) => client.notifications.list({ status: 'all', source: '', page: 1, limit: page_size }, { signal });
  const live = { every_ms: 30_000, on: ['notification', 'notification.read'] };
  const list = useCall(read, [client], live);
  const unread = useCall((signal) => client.notifications.unread_count({}, { signal }), [client], live);
  const opening = useOpened(opened, ({ id }): Promise<Notification> => client.notifications.get({ id: Number(id) }), nothing);
  const again = () => {
    list.again();
    unread.again();
  };
  const readAll = async () => {
    try {
      const { updated } = await client.notifications.read({ all: true });
      notify(`${number(updated)} marked as read`);
      again();
    } catch (thrown) {
      failed(thrown);
    }
  };
  useKeys([{ key: 'A', label: 'all read', changes: true, run: readAll }], focused && (unread.value?.unread ?? 0) > 0);
  const columns: Column<Notification>[] = [
    { title: '', value: (row) => (isUnread(row) ? '*' : ''), width: 1, colour: () => 'warn' },
    { title: 'when', value: ({ created_at }) => ago(utc(created_at), clock()) },
    { title: 'of', value: ({ source }) => source.replaceAll('_', ' ') },
    { title: 'title', value: ({ title, count }) => (count > 1 ? `${title} (${count} times)` : title), grow: true },
  ];
  return (
    <Box flexDirection="column">
      <Text kind="dim">{unread.value ? `${number(unread.value.unread)} unread of ${number(list.value?.total)}` : ''}</Text>
      <Records
        rows={list.value?.notifications}
        error={list.error}
        columns={columns}
        idOf={({ id }) => id}
        height={size.rows - 1}
        opening={opening}
        details={({ id }) => <Details client={client} id={id} />}
        actions={[readOf(client, again)]}
        empty="No notifications yet"
      />
    </Box>
  );
}

const nothing = () => undefined;

function isUnread({ read_at }: Notification): boolean {
  return read_at === '';
}

/** Adds the zone, which these times don't carry. */
function utc(time: string): string {
  return time === '' ? '' : `${time}Z`;
}

function readOf(client: Props['client'], again: () => void): Action<Notification> {
  return {
    key: 'r',
    label: 'mark read',
    when: isUnread,
    run: async ({ id }) => {
      await client.notifications.read({ notification_ids: [id] });
      again();
    },
  };
}

function Details({ client, id }: { client: Props['client']; id: number }) {
  const found = useCall((signal) => client.notifications.get({ id }, { signal }), [client, id]);
  if (found.value === undefined) return <Text kind={found.error ? 'bad' : 'dim'}>{found.error?.message ?? 'Loading …'}</Text>;
  return <Log lines={linesOf(found.value)} follow={false} wrap />;
}

function linesOf({ title, summary, link, created_at, source, deliveries }: NotificationDetail): string[] {
  return [
    title,
    `${source.replaceAll('_', ' ')}, ${utc(created_at)}`,
    ...(link ? [link] : []),
    '',
    ...summary.split('\n'),
    '',
    ...deliveries.map(
      ({ channel, status, attempts, error }) => `${channel}: ${status}${error ? ` (${error})` : ''}, tried ${attempts} times`,
    ),
  ];
}

export default { title: 'Notifications', order: 80, opens: ['notification'], View } satisfies Panel<NotificationsApi>;
