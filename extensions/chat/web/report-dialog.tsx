import { Button, Dialog, failureText, TextArea, useNotify, useTexts, useUnsaved } from '@platform/kit';
import { useState } from 'react';
import { api } from './api.js';
import { openDialog } from './dialogs.js';
import { texts } from './texts.js';

/** Reports a message to the owners of the room, or to administrators. */
export function ReportDialog({ message_id, sender_name }: { message_id: string; sender_name: string }) {
  const text = useTexts(texts);
  const notify = useNotify();
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useUnsaved(reason !== '');
  const close = () => openDialog(undefined);
  const send = async () => {
    setBusy(true);
    try {
      await api.call('messages.report', { message_id, reason });
      notify(text.report.done, { kind: 'success' });
      close();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={text.report.title}
      isOpen
      onClose={close}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={close}>{text.cancel}</Button>
          <Button kind="danger" type="submit" isBusy={isBusy}>
            {text.report.send}
          </Button>
        </>
      }
    >
      <p>{text.report.text(sender_name)}</p>
      <TextArea
        label={text.report.reason}
        value={reason}
        onChange={setReason}
        required
        maxLength={1_000}
        error={error === undefined ? undefined : failureText(error).title}
      />
    </Dialog>
  );
}
