import {
  Avatar,
  Button,
  Dialog,
  Empty,
  Failed,
  failureText,
  List,
  ListItem,
  Loading,
  MemberName,
  TextField,
  useGo,
  useNotify,
  useTexts,
} from '@platform/kit';
import { useDeferredValue, useState } from 'react';
import type { Contact } from '../contract.js';
import { api } from './api.js';
import { openDialog } from './dialogs.js';
import { texts } from './texts.js';

const max_shown = 50;

/** Chooses with whom a conversation begins: a person, an AI employee, or oneself. */
export function NewDialog() {
  const text = useTexts(texts);
  const notify = useNotify();
  const go = useGo();
  const [typed, setTyped] = useState('');
  const keyword = useDeferredValue(typed.trim());
  const { data, error, again } = api.useRead(
    'contacts.list',
    { limit: max_shown, offset: 0, ...(keyword === '' ? {} : { keyword }) },
    { keep: true },
  );
  const close = () => openDialog(undefined);
  const show = (path: string) => {
    close();
    go(path);
  };
  const start = ({ member_id }: Contact) => show(`/chat/with/${member_id}`);
  const writeNotes = async () => {
    try {
      const { id } = await api.call('sessions.create', { title: text.notes, target_type: '', target_id: '' });
      api.again('sessions.list');
      show(`/chat/${id}`);
    } catch (thrown) {
      notify(failureText(thrown).title, { kind: 'error' });
    }
  };
  return (
    <Dialog
      title={text.create.title}
      isOpen
      onClose={close}
      actions={
        <>
          <Button icon="edit" onClick={() => void writeNotes()}>
            {text.create.notes}
          </Button>
          <Button icon="room" onClick={() => openDialog({ kind: 'room' })}>
            {text.create.room}
          </Button>
        </>
      }
    >
      <TextField
        label={text.create.search}
        hidesLabel
        type="search"
        icon="search"
        placeholder={text.create.search}
        value={typed}
        onChange={setTyped}
        onKeyDown={({ key }) => key === 'Enter' && keyword !== '' && data?.[0] && start(data[0])}
        autoFocus
      />
      {error && <Failed error={error} again={again} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && <Empty icon="people" title={text.create.nobody} />}
      {data && data.length > 0 && (
        <List label={text.create.title} className="chat-contacts">
          {data.map((contact) => (
            <ListItem
              key={contact.member_id}
              id={contact.member_id}
              onOpen={() => start(contact)}
              start={<Avatar member_id={contact.member_id} name={contact.nickname} isVirtual={contact.is_virtual} presence />}
              title={<MemberName member_id={contact.member_id} name={contact.nickname} isVirtual={contact.is_virtual} />}
              text={contact.post || `@${contact.username}`}
            />
          ))}
        </List>
      )}
    </Dialog>
  );
}
