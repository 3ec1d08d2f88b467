import { Dialog, Icon, Loading, useFormat, useNotify, useTexts } from '@platform/kit';
import { memo, type ReactElement, useEffect, useState } from 'react';
import type { Image, MessageFile } from '../contract.js';
import { api } from './api.js';
import { texts } from './texts.js';

const shown_types = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** Shows the images and files of a message. Images are fetched with the login and shown as blobs; files are downloaded by a link of a minute. */
export const Attachments = memo(function Attachments({ images, files }: { images: readonly Image[]; files: readonly MessageFile[] }) {
  if (images.length + files.length === 0) return null;
  return (
    <div className="chat-attachments">
      {images.map((image) => (
        <ImageView key={image.url} image={image} />
      ))}
      {files.map((file) => (
        <FileView key={file.id} file={file} />
      ))}
    </div>
  );
});

function ImageView({ image }: { image: Image }) {
  const text = useTexts(texts);
  const hash = image.url.slice(image.url.lastIndexOf('/') + 1);
  const thumbnail = useBlob('images.thumbnail', { hash }, image.mime_type);
  const whole = useBlob('images.get', { hash }, image.mime_type, thumbnail.error);
  const name = image.name ?? text.message.image;
  const large = <Large operation="images.get" input={{ hash }} mime_type={image.mime_type} name={name} />;
  return <Picture name={name} url={thumbnail.url ?? whole.url} isLost={thumbnail.error && whole.error} large={large} />;
}

function FileView({ file }: { file: MessageFile }) {
  const text = useTexts(texts);
  const format = useFormat();
  const notify = useNotify();
  const download = async () => {
    try {
      save(await api.link('files.get', { file_id: file.id }), file.name);
    } catch {
      notify(text.message.downloadFailed(file.name), { kind: 'error' });
    }
  };
  return (
    <div className="chat-file">
      {shown_types.has(file.mime_type) && <FilePicture file={file} />}
      <button type="button" className="chat-file-button" aria-label={text.message.download(file.name)} onClick={() => void download()}>
        <Icon name="file" />
        <span className="chat-file-name">{file.name}</span>
        <span className="chat-quiet">{format.bytes(file.bytes)}</span>
        <Icon name="download" />
      </button>
    </div>
  );
}

function FilePicture({ file }: { file: MessageFile }) {
  const { url, error } = useBlob('files.thumbnail', { file_id: file.id }, 'image/webp');
  if (error) return null;
  const large = <Large operation="files.get" input={{ file_id: file.id }} mime_type={file.mime_type} name={file.name} />;
  return <Picture name={file.name} url={url} isLost={false} large={large} />;
}

interface PictureProps {
  name: string;
  url: string | undefined;
  isLost: boolean;
  /** The whole image, which is fetched when it is opened. */
  large: ReactElement;
}

function Picture({ name, url, isLost, large }: PictureProps) {
  const text = useTexts(texts);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="chat-picture" aria-label={text.message.openImage(name)} onClick={() => setOpen(true)}>
        {url !== undefined && <img src={url} alt={name} />}
        {isLost && (
          <span className="chat-quiet">
            <Icon name="image" /> {text.message.imageLost}
          </span>
        )}
      </button>
      {isOpen && (
        <Dialog title={name} size="large" isOpen onClose={() => setOpen(false)}>
          {large}
        </Dialog>
      )}
    </>
  );
}

interface LargeProps {
  operation: ImageOperation;
  input: { hash: string } | { file_id: string };
  mime_type: string;
  name: string;
}

function Large({ operation, input, mime_type, name }: LargeProps) {
  const text = useTexts(texts);
  const { url, error } = useBlob(operation, input, mime_type);
  if (error) return <p className="chat-quiet">{text.message.imageLost}</p>;
  return url === undefined ? <Loading lines={6} /> : <img className="chat-large" src={url} alt={name} />;
}

type ImageOperation = 'images.thumbnail' | 'images.get' | 'files.thumbnail' | 'files.get';

/** Fetches an image and returns an address of it within this page. */
function useBlob(operation: ImageOperation, input: { hash: string } | { file_id: string }, mime_type: string, isWanted = true) {
  const [state, setState] = useState<{ url: string | undefined; error: boolean }>({ url: undefined, error: false });
  const key = JSON.stringify(input);
  useEffect(() => {
    if (!isWanted) return undefined;
    const abort = new AbortController();
    let url: string | undefined;
    fetchImage(operation, JSON.parse(key) as typeof input, { mime_type, signal: abort.signal }).then(
      (blob) => {
        if (abort.signal.aborted) return;
        url = URL.createObjectURL(blob);
        setState({ url, error: false });
      },
      () => abort.signal.aborted || setState({ url: undefined, error: true }),
    );
    return () => {
      abort.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [operation, key, mime_type, isWanted]);
  return state;
}

async function fetchImage(
  operation: ImageOperation,
  input: { hash: string } | { file_id: string },
  { mime_type, signal }: { mime_type: string; signal?: AbortSignal },
): Promise<Blob> {
  const { blob } = await api.call(operation as 'images.get', input as { hash: string }, signal ? { signal } : {});
  return blob.type === '' ? new Blob([blob], { type: mime_type }) : blob;
}

function save(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.rel = 'noopener';
  link.click();
}

/** Returns an image of a message as a data URL, to send it once more. */
export async function imageData({ url, mime_type, name }: Image): Promise<{ url: string; name?: string }> {
  const blob = await fetchImage('images.get', { hash: url.slice(url.lastIndexOf('/') + 1) }, { mime_type });
  return { url: await dataUrl(blob), ...(name === undefined ? {} : { name }) };
}

export function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read'));
    reader.readAsDataURL(blob);
  });
}
