import { Button, Dialog, Failed, TextArea, TextField, useGo, useTexts, useUnsaved } from '@platform/kit';
import { RadioGroup } from '@platform/kit/forms';
import { useState } from 'react';
import type { Visibility } from '../contract.js';
import { api } from './api.js';
import { openDialog } from './dialogs.js';
import { MemberChoice } from './member-choice.js';
import { texts } from './texts.js';

/** Creates a room, which the member then owns. */
export function RoomDialog() {
  const text = useTexts(texts);
  const go = useGo();
  const [title, setTitle] = useState('');
  const [topic, setTopic] = useState('');
  const [member_ids, setMembers] = useState<readonly number[]>([]);
  const [visibility, setVisibility] = useState<Visibility>('private');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const endUnsaved = useUnsaved(title !== '' || topic !== '');
  const close = () => openDialog(undefined);
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await api.call('sessions.create', { title: title.trim(), target_type: 'room', target_id: '', member_ids, visibility });
      if (topic.trim() !== '') await api.call('sessions.update', { session_id: id, topic: topic.trim() });
      api.again('sessions.list');
      close();
      endUnsaved();
      go(`/chat/${id}`);
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={text.room.create}
      isOpen
      isFirm
      onClose={close}
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={close}>{text.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {text.room.createNow}
          </Button>
        </>
      }
    >
      <div className="chat-form">
        <TextField label={text.room.name} value={title} onChange={setTitle} required maxLength={200} autoFocus />
        <TextArea label={text.room.topic} value={topic} onChange={setTopic} isOptional grows maxLength={500} />
        <MemberChoice label={text.room.whom} help={text.room.whomHelp} value={member_ids} onChange={setMembers} />
        <RadioGroup
          label={text.room.visibility}
          value={visibility}
          onChange={(next) => setVisibility(next as Visibility)}
          options={(['private', 'open'] as const).map((id) => ({
            id,
            label: text.room.visibilities[id].label,
            help: text.room.visibilities[id].text,
          }))}
        />
        {error !== undefined && <Failed error={error} />}
      </div>
    </Dialog>
  );
}
