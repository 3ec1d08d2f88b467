import { Button, Card, Failed, Section, saveBlob, TextField, useKept, useNotify, useTexts } from '@platform/kit';
import { FileButton } from '@platform/kit/forms';
import { useState } from 'react';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Copies files out of and into the container, as tar archives. */
export function Files({ id }: { id: number }) {
  const text = useTexts(catalogue);
  const notify = useNotify();
  const [path, setPath] = useKept(`nodes.files.${id}`, '/workspace');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const guard = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  const load = () =>
    guard(async () => {
      const { blob } = await api.call('nodes.files_get', { id, path });
      saveBlob(blob, `${path.split('/').filter(Boolean).at(-1) ?? 'files'}.tar`);
    });
  const store = ([file]: File[]) =>
    guard(async () => {
      await api.call('nodes.files_put', { id, path, file } as never);
      notify(text.stored, { kind: 'success' });
    });
  return (
    <Section title={text.files} text={text.filesHelp}>
      <Card>
        {error === undefined ? undefined : <Failed error={error} />}
        <TextField label={text.path} value={path} onChange={setPath} spellCheck={false} />
        <div className="nodes-buttons">
          <Button icon="download" isBusy={isBusy} onClick={() => void load()}>
            {text.download}
          </Button>
          <FileButton icon="upload" label={text.upload} accept=".tar" isBusy={isBusy} onFiles={(files) => void store(files)} />
        </div>
      </Card>
    </Section>
  );
}
