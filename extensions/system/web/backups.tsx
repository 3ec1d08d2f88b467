import { Button, confirm, Empty, Failed, IconButton, Loading, Note, saveBlob, Time, useFormat, useTexts } from '@platform/kit';
import { Table } from '@platform/kit/forms';
import { useState } from 'react';
import type { BackupRecord } from '../../../kernel/contract/system.js';
import { api } from './api.js';
import { catalogue } from './texts/index.js';

/** Length of the pieces in which an archive is read. */
const piece_bytes = 16 * 1024 * 1024;
/** Archives that a new backup leaves beside itself. */
const keep = 7;

/** Shows the archives on the server, and makes and removes them. */
export function Backups() {
  const text = useTexts(catalogue);
  const format = useFormat();
  const { data, error, again } = api.useRead('backups.list', {});
  const make = api.useWrite('maintenance.backup', { reads: ['backups.list'], done: text.backupMade });
  const remove = api.useWrite('backups.delete', { reads: ['backups.list'], done: text.backupDeleted });
  const [saved, setSaved] = useState<string>();
  const [fault, setFault] = useState<unknown>();
  const save = async (backup: BackupRecord) => {
    setSaved(backup.file);
    setFault(undefined);
    try {
      saveBlob(await read(backup), backup.file);
    } catch (thrown) {
      setFault(thrown);
    } finally {
      setSaved(undefined);
    }
  };
  const end = async ({ file }: BackupRecord) => {
    if (await confirm({ title: text.deleteBackup(file), text: text.deleteBackupHelp, confirm: text.deleteShort, danger: true }))
      await remove.run({ file });
  };
  return (
    <>
      <Note kind="info">{text.backupHelp}</Note>
      <div>
        <Button kind="primary" icon="backup" isBusy={make.isRunning} onClick={() => void make.run({ keep })}>
          {text.makeBackup}
        </Button>
      </div>
      {fault === undefined ? undefined : <Failed error={fault} />}
      {error && !data ? <Failed error={error} again={again} /> : undefined}
      {!data && !error ? <Loading lines={3} /> : undefined}
      {data ? (
        <Table<BackupRecord>
          label={text.parts.backups}
          rows={data}
          idOf={({ file }) => file}
          empty={<Empty icon="backup" title={text.noBackups} />}
          columns={[
            { id: 'file', label: text.file, show: ({ file }) => <code>{file}</code>, sortBy: ({ file }) => file },
            { id: 'made', label: text.at, show: ({ created_at }) => <Time iso={created_at} />, sortBy: ({ created_at }) => created_at },
            { id: 'size', label: text.size, show: ({ bytes }) => format.bytes(bytes), sortBy: ({ bytes }) => bytes, isNumeric: true },
            {
              id: 'actions',
              label: text.deleteShort,
              hidesLabel: true,
              show: (backup) => (
                <span className="system-actions">
                  <IconButton
                    isSmall
                    icon="download"
                    label={text.saveBackup(backup.file)}
                    disabled={saved !== undefined}
                    onClick={() => void save(backup)}
                  />
                  <IconButton isSmall icon="delete" label={text.deleteBackup(backup.file)} onClick={() => void end(backup)} />
                </span>
              ),
            },
          ]}
        />
      ) : undefined}
    </>
  );
}

/** Reads an archive piece by piece; the browser keeps what it has on its disk. */
async function read({ file, bytes }: BackupRecord): Promise<Blob> {
  const pieces: Blob[] = [];
  for (let offset = 0; offset < bytes; ) {
    const { blob } = await api.call('backups.read', { file, offset, bytes: piece_bytes });
    if (blob.size === 0) break;
    pieces.push(blob);
    offset += blob.size;
  }
  return new Blob(pieces, { type: 'application/x-tar' });
}
