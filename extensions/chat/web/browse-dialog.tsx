import {
  Button,
  Dialog,
  Empty,
  Failed,
  failureText,
  Icon,
  List,
  ListItem,
  Loading,
  TextField,
  Time,
  useGo,
  useNotify,
  useTexts,
} from '@platform/kit';
import { useDeferredValue, useState } from 'react';
import { api } from './api.js';
import { openDialog } from './dialogs.js';
import { texts } from './texts.js';

const page = 50;

/** Lists open rooms; opening one joins it. */
export function BrowseDialog() {
  const text = useTexts(texts);
  const notify = useNotify();
  const go = useGo();
  const [typed, setTyped] = useState('');
  const [limit, setLimit] = useState(page);
  const query = useDeferredValue(typed.trim());
  const { data, error, again } = api.useRead('rooms.list', { limit, offset: 0, ...(query === '' ? {} : { query }) }, { keep: true });
  const close = () => openDialog(undefined);
  const join = async (session_id: string) => {
    try {
      await api.call('sessions.join', { session_id });
      api.again('sessions.list');
      close();
      go(`/chat/${session_id}`);
    } catch (thrown) {
      notify(failureText(thrown).title, { kind: 'error' });
    }
  };
  return (
    <Dialog
      title={text.room.browse}
      isOpen
      onClose={close}
      actions={
        <Button icon="add" onClick={() => openDialog({ kind: 'room' })}>
          {text.room.create}
        </Button>
      }
    >
      <TextField
        label={text.room.find}
        hidesLabel
        type="search"
        icon="search"
        placeholder={text.room.find}
        value={typed}
        onChange={setTyped}
        autoFocus
      />
      {error && <Failed error={error} again={again} />}
      {!data && !error && <Loading />}
      {data?.items.length === 0 && <Empty icon="room" title={query === '' ? text.room.noneOpen : text.room.noneFound} />}
      {data && data.items.length > 0 && (
        <List label={text.room.browse} className="chat-contacts">
          {data.items.map(({ id, title, topic, member_count, last_message_at }) => (
            <ListItem
              key={id}
              id={id}
              onOpen={() => void join(id)}
              start={<Icon name="room" />}
              title={title}
              text={topic || text.room.members(member_count)}
              end={last_message_at === null ? text.room.join : <Time iso={last_message_at} ago />}
            />
          ))}
        </List>
      )}
      {data && data.total > data.items.length && (
        <Button kind="quiet" onClick={() => setLimit(Math.min(limit + page, 200))}>
          {text.list.more}
        </Button>
      )}
    </Dialog>
  );
}
