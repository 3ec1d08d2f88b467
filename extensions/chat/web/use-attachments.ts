import { failureText, useKept, whenReachable } from '@platform/kit';
import { useEffect, useRef, useState } from 'react';
import type { MessageFile } from '../contract.js';
import { api } from './api.js';
import { dataUrl } from './attachments.js';

/** A file or an image that goes with the next message. */
export interface Attached {
  key: string;
  name: string;
  bytes: number;
  /** An image, which AI employees see; anything else is a file. */
  kind: 'image' | 'file';
  state: 'uploading' | 'ready' | 'failed';
  /** Bytes that were sent so far. */
  sent: number;
  file?: MessageFile;
  /** The image as a data URL. */
  url?: string;
  /** Why it failed. */
  error?: { title: string };
}

export interface Attachments {
  list: readonly Attached[];
  isUploading: boolean;
  add: (files: Iterable<File>) => void;
  remove: (key: string) => void;
  clear: () => void;
}

const image_types = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Base64 of more images than that doesn't fit in a message. */
const max_image_bytes = 14 * 1024 * 1024;
const max_file_bytes = 50 * 1024 * 1024;
const max_attachments = 10;
/** Images up to this size together are kept over a reload, like the text. */
const max_kept = 1_000_000;

type Refusal = 'empty' | 'tooLarge' | 'tooMany';

/** The attachments of one draft. Files are uploaded at once; `refuse` is told what can't be attached. */
export function useAttachments(draft: string, refuse: (name: string, why: Refusal) => void): Attachments {
  const [kept, keep] = useKept<readonly Attached[]>(`chat.attached.${draft}`, [], { persisted: true });
  const [list, setList] = useState(() => kept.filter((one) => isAttached(one ?? {})));
  const uploads = useRef(new Map<string, AbortController>());
  const change = (key: string, changes: Partial<Attached>) =>
    setList((all) => all.map((one) => (one.key === key ? { ...one, ...changes } : one)));

  useEffect(() => {
    const ready = list.filter(({ state }) => state === 'ready');
    const length = ready.reduce((sum, { url }) => sum + (url?.length ?? 0), 0);
    keep(length > max_kept ? ready.filter(({ kind }) => kind === 'file') : ready);
  }, [list, keep]);
  useEffect(() => {
    const { current: running } = uploads;
    return () => {
      for (const abort of running.values()) abort.abort();
    };
  }, []);

  const start = async (attached: Attached, file: File) => {
    const abort = new AbortController();
    uploads.current.set(attached.key, abort);
    try {
      if (attached.kind === 'image') {
        change(attached.key, { url: await dataUrl(file), state: 'ready' });
        return;
      }
      const sent = (bytes: number) => change(attached.key, { sent: bytes });
      const { signal } = abort;
      // The key makes a repeated upload the same one.
      const upload = () => api.call('files.upload', { file }, { signal, sent, idempotency_key: attached.key });
      const uploaded = await whenReachable(upload, signal);
      change(attached.key, { file: uploaded, state: 'ready', sent: attached.bytes });
    } catch (error) {
      if (!abort.signal.aborted) change(attached.key, { state: 'failed', error: { title: failureText(error).title } });
    } finally {
      uploads.current.delete(attached.key);
    }
  };
  const add = (files: Iterable<File>) => {
    let count = list.length;
    for (const file of files) {
      const kind = image_types.has(file.type) && file.size <= max_image_bytes ? 'image' : 'file';
      const why = file.size === 0 ? 'empty' : file.size > max_file_bytes ? 'tooLarge' : count >= max_attachments ? 'tooMany' : undefined;
      if (why) {
        refuse(file.name, why);
        continue;
      }
      count += 1;
      const attached: Attached = { key: newKey(), name: nameOf(file), bytes: file.size, kind, state: 'uploading', sent: 0 };
      setList((all) => [...all, attached]);
      void start(attached, file);
    }
  };
  const remove = (key: string) => {
    uploads.current.get(key)?.abort();
    setList((all) => all.filter((one) => one.key !== key));
  };
  return { list, isUploading: list.some(({ state }) => state === 'uploading'), add, remove, clear: () => setList([]) };
}

/** Returns whether a kept entry is whole: the browser's storage can be changed by others than this page. */
function isAttached({ key, name, bytes, url = 'data:image/' }: Partial<Attached>): boolean {
  return typeof key === 'string' && typeof name === 'string' && typeof bytes === 'number' && url.startsWith('data:image/');
}

/** Pasted images are all called alike: they get the time. */
function nameOf(file: File): string {
  if (file.name !== '' && !/^image\.\w+$/.test(file.name)) return file.name;
  const ending = file.type.slice(file.type.indexOf('/') + 1) || 'bin';
  return `${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}.${ending}`;
}

/** Returns an unguessable key. `randomUUID` exists on https and localhost only. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
