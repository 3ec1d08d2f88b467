import { useState } from 'react';
import {
  ago,
  type Column,
  completePath,
  FormView,
  imageHash,
  imageName,
  Records,
  savedName,
  saveNewFile,
  size,
  useKeys,
  useNotify,
} from '../../../tui/kit/index.js';
import type { Message } from '../contract.js';
import type { PanelClient, Props } from './api.js';

export interface FilesProps {
  panel: Props;
  /** Messages, oldest first. */
  messages: readonly Message[] | undefined;
  close: () => void;
  height: number;
}

/** A file or an image of a message. */
interface Row {
  id: string;
  name: string;
  /** Undefined for images. */
  bytes: number | undefined;
  from: string;
  at: string;
  read: (client: PanelClient) => Promise<{ bytes: Buffer }>;
}

/** Lists the files and images of messages, the latest first, to save one. */
export function Files({ panel: { client, clock, focused }, messages, close, height }: FilesProps) {
  const [saving, setSaving] = useState<Row>();
  const notify = useNotify();
  useKeys([{ key: 'esc', label: 'back', run: close }], focused && saving === undefined);
  if (saving) {
    const { name, read } = saving;
    const form = {
      title: `Save '${name}' as a new file, or in a folder`,
      fields: [
        { name: 'path', label: 'path', value: savedName(name), complete: async (typed: string) => (await completePath(typed)).paths },
      ],
      send: async ({ path = '' }: Readonly<Record<string, string>>) => {
        const { bytes } = await read(client);
        notify(`Saved: ${await saveNewFile(path.trim() || '.', { name, bytes })} (${size(bytes.length)})`);
      },
    };
    return <FormView form={form} close={() => setSaving(undefined)} />;
  }
  const columns: Column<Row>[] = [
    { title: 'file', value: ({ name }) => name, grow: true },
    { title: 'size', value: ({ bytes }) => size(bytes), align: 'right' },
    { title: 'from', value: ({ from }) => from },
    { title: 'at', value: ({ at }) => ago(at, clock()) },
  ];
  return (
    <Records
      rows={messages?.flatMap(rowsOf).toReversed()}
      columns={columns}
      idOf={({ id }) => id}
      height={height}
      empty="No files yet"
      actions={[{ key: 'enter', label: 'save', run: (row) => setSaving(row), changes: false }]}
    />
  );
}

/** Returns whether a message has something to save. */
export function hasFiles({ files, images }: Message): boolean {
  return files.length + images.length > 0;
}

function rowsOf({ id, files, images, sender_name: from, created_at: at }: Message): Row[] {
  return [
    ...images.map((image, index): Row => {
      const hash = imageHash(image);
      return { id: `${id} ${index}`, name: imageName(image), bytes: undefined, from, at, read: (client) => client.images.get({ hash }) };
    }),
    ...files.map(({ id: file_id, name, bytes }): Row => {
      return { id: `${id} ${file_id}`, name, bytes, from, at, read: (client) => client.files.get({ file_id }) };
    }),
  ];
}
