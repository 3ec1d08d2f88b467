import { completePath, describeAttachment, FormView, oneLine } from '../../../tui/kit/index.js';
import type { Attachments } from './use-attachments.js';

export interface AttachFormProps {
  attachments: Attachments;
  close: () => void;
}

/** Asks for the path of a file to send with the next message; an empty one removes those that are attached. */
export function AttachForm({ attachments: { list, add, set }, close }: AttachFormProps) {
  const attached = list.map(describeAttachment).map(oneLine).join(', ');
  const title = list.length === 0 ? 'Attach a file to the next message' : `Attached: ${attached}. An empty path removes this`;
  const send = async ({ path = '' }: Readonly<Record<string, string>>) => (path.trim() === '' ? set([]) : add(path.trim()));
  const complete = async (typed: string) => (await completePath(typed)).paths;
  return <FormView form={{ title, fields: [{ name: 'path', label: 'file', complete }], send }} close={close} />;
}
