import { type Attached, type Attachment, readAttachment, uploadAttachments, useViewState } from '../../../tui/kit/index.js';
import type { PanelClient } from './api.js';

/** The attachments of the next message. */
export interface Attachments {
  list: readonly Attachment[];
  /** Adds a file of this machine. Fails with `invalid_input` if it can't be sent. */
  add: (path: string) => Promise<void>;
  set: (list: readonly Attachment[]) => void;
}

/** Stores the attachments of the next message, also while the dashboard shows another view. `name` is unique in the dashboard. */
export function useAttachments(name: string): Attachments {
  const [list, set] = useViewState<readonly Attachment[]>(`chat.attachments.${name}`, []);
  return { list, set, add: async (path) => set([...list, await readAttachment(path)]) };
}

/** Uploads the files among attachments. */
export function upload(client: PanelClient, attachments: readonly Attachment[]): Promise<Attached> {
  return uploadAttachments(attachments, (file) => client.files.upload({ file }));
}
