import { Icon, IconButton, Progress, useFormat, useTexts } from '@platform/kit';
import { texts } from './texts.js';
import type { Attached } from './use-attachments.js';

/** Shows what goes with the next message: how far its upload is, why it failed; each can be taken away. */
export function AttachedList({ list, onRemove }: { list: readonly Attached[]; onRemove: (key: string) => void }) {
  const text = useTexts(texts);
  const format = useFormat();
  if (list.length === 0) return null;
  return (
    <ul className="chat-attached">
      {list.map(({ key, name, bytes, kind, state, sent, url, error }) => (
        <li key={key} data-state={state}>
          {kind === 'image' && url !== undefined ? <img src={url} alt="" /> : <Icon name={kind === 'image' ? 'image' : 'file'} />}
          <span className="chat-attached-name">{name}</span>
          <span className="chat-quiet">{error?.title ?? format.bytes(bytes)}</span>
          {state === 'uploading' && <Progress label={text.composer.uploading(name)} value={kind === 'file' ? sent / bytes : undefined} />}
          <IconButton
            isSmall
            icon="close"
            label={state === 'uploading' ? text.composer.cancelUpload(name) : text.composer.detach(name)}
            onClick={() => onRemove(key)}
          />
        </li>
      ))}
    </ul>
  );
}
