import { Button, Dialog, Failed, Progress, saveBlob, useFormat, useTexts } from '@platform/kit';
import { useEffect, useRef, useState } from 'react';
import { openDialog } from './dialogs.js';
import { type ExportFormat, exportSession, fileName } from './export.js';
import { texts } from './texts.js';

/** Exports a conversation as Markdown, for people, or JSON, for programs. */
export function ExportDialog({ session_id, title }: { session_id: string; title: string }) {
  const text = useTexts(texts);
  const format = useFormat();
  const [count, setCount] = useState<number>();
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const close = () => openDialog(undefined);
  const run = async (kind: ExportFormat) => {
    abort.current = new AbortController();
    setError(undefined);
    setCount(0);
    const labels = { time: format.exact, deleted: text.message.deleted, tool: text.tool.label, attachments: text.export.attachments };
    try {
      saveBlob(await exportSession(session_id, kind, { signal: abort.current.signal, progress: setCount, labels }), fileName(title, kind));
      close();
    } catch (thrown) {
      if (!abort.current.signal.aborted) setError(thrown);
      setCount(undefined);
    }
  };
  return (
    <Dialog
      title={text.export.title}
      isOpen
      onClose={close}
      actions={
        <>
          <Button onClick={() => void run('json')} isBusy={count !== undefined}>
            {text.export.json}
          </Button>
          <Button kind="primary" onClick={() => void run('markdown')} isBusy={count !== undefined}>
            {text.export.markdown}
          </Button>
        </>
      }
    >
      <p>{text.export.text}</p>
      {count !== undefined && <Progress label={text.export.title} text={text.export.progress(format.number(count))} />}
      {error !== undefined && <Failed error={error} />}
    </Dialog>
  );
}
