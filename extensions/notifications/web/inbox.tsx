import {
  Badge,
  Button,
  Empty,
  Failed,
  Icon,
  IconButton,
  type IconName,
  isOwnPath,
  LinkButton,
  List,
  ListItem,
  Loading,
  Page,
  Time,
  useGo,
  useTexts,
} from '@platform/kit';
import { useState } from 'react';
import type { Kind, Notification, NotificationQuery } from '../contract.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

const page_size = 50;

/** Shows the member's notifications, latest first. */
export function Inbox() {
  const text = useTexts(catalogue);
  const [isUnreadOnly, setUnreadOnly] = useState(true);
  const [limit, setLimit] = useState(page_size);
  const query: NotificationQuery = { status: 'all', source: '', page: 1, limit: Math.min(limit, 200) };
  const on = ['notification', 'notification.read'];
  const { data, error, again } = api.useRead('notifications.list', query, { on, keep: true });
  const read = api.useWrite('notifications.read', { reads: ['notifications.list', 'notifications.unread_count'] });
  const all = data?.notifications ?? [];
  const shown = isUnreadOnly ? all.filter(({ read_at }) => read_at === '') : all;
  const actions = (
    <>
      <Button kind="quiet" onClick={() => setUnreadOnly(!isUnreadOnly)}>
        {isUnreadOnly ? text.showAll : text.showUnread}
      </Button>
      <Button kind="plain" icon="check" isBusy={read.isRunning} onClick={() => void read.run({ all: true })}>
        {text.readAll}
      </Button>
      <LinkButton kind="quiet" icon="settings" to="/notifications/settings">
        {text.settings}
      </LinkButton>
    </>
  );
  return (
    <Page title={text.title} actions={actions} narrow>
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={6} /> : undefined}
      {data && shown.length === 0 ? (
        <Empty icon="bell" title={text.nothing} text={isUnreadOnly ? text.nothingUnread : text.nothingYet} />
      ) : undefined}
      <List label={text.title}>
        {shown.map((notification) => (
          <Row key={notification.id} notification={notification} read={() => void read.run({ notification_ids: [notification.id] })} />
        ))}
      </List>
      {data && data.total > limit && limit < 200 ? (
        <Button kind="quiet" onClick={() => setLimit(limit + page_size)}>
          {text.older}
        </Button>
      ) : undefined}
    </Page>
  );
}

function Row({ notification, read }: { notification: Notification; read: () => void }) {
  const text = useTexts(catalogue);
  const go = useGo();
  const { id, kind, title, summary, link, count, created_at, read_at, error } = notification;
  const isUnread = read_at === '';
  const isOwn = link !== null && isOwnPath(link);
  const open = () => {
    if (isUnread) read();
    if (isOwn) go(link);
  };
  const detail = (
    <>
      {summary}
      {error === null ? undefined : <span className="notifications-error">{text.notDelivered(error)}</span>}
    </>
  );
  return (
    <ListItem
      id={id}
      onOpen={open}
      isStrong={isUnread}
      start={<Icon name={iconOf[kind] ?? 'bell'} />}
      title={
        <>
          {title} {count > 1 ? <Badge>{text.times(count)}</Badge> : undefined}
        </>
      }
      text={detail}
      end={<Time iso={created_at} ago />}
      actions={
        <>
          {link !== null && !isOwn ? (
            <LinkButton isSmall kind="quiet" icon="external" to={link} isExternal>
              {text.openLink}
            </LinkButton>
          ) : undefined}
          {isUnread ? <IconButton isSmall icon="check" label={text.read} onClick={read} /> : undefined}
        </>
      }
    />
  );
}

const iconOf: Readonly<Partial<Record<Kind, IconName>>> = {
  direct_message: 'message',
  mention: 'mention',
  room_message: 'room',
  answer: 'agent',
  approval: 'shield',
  invitation: 'people',
  report: 'report',
  limit_reached: 'chart',
  budget: 'chart',
  run_finished: 'schedule',
  run_failed: 'warning',
  schedule_stopped: 'schedule',
  node_offline: 'node',
  node_incident: 'node',
  plugin_failed: 'warning',
  review_waiting: 'market',
  review_decided: 'market',
};
