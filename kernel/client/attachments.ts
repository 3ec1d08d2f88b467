import { fail } from '../contract/failure.js';
import { expandHome, type LocalFile, readLocalFile } from './local-file.js';
import { size } from './size.js';
import { uploadFile } from './upload-file.js';

/** Something to send with a message. */
export type Attachment = ImageAttachment | FileAttachment;

/** An image, as `chat.send` accepts it. */
export interface ImageAttachment {
  kind: 'image';
  /** Data URL. Its media type is neutral, because the server detects the type from the bytes. */
  url: string;
  /** Name of the file. */
  name: string;
  bytes: number;
}

/** A file, which is uploaded before the message is sent. */
export interface FileAttachment {
  kind: 'file';
  name: string;
  content: Buffer;
}

/** Images and uploaded files, as `chat.send` accepts them. */
export interface Attached {
  images?: { url: string; name: string }[];
  /** Ids. */
  files?: string[];
}

/** The server's limit of a file. */
export const max_file_bytes = 50 * 1024 * 1024;
/** Limit of an image. In a message it is a third larger; a larger image is sent as a file. */
const max_image_bytes = 14 * 1024 * 1024;
/** The server's limits of the images, and of the files, of a message. */
const max_attachments = 10;

/** Reads a file. Images are recognised by their first bytes and sent as such, so that the AI employee sees them. Fails with `invalid_input` as `readLocalFile` does. */
export async function readAttachment(path: string): Promise<Attachment> {
  const { name, bytes } = await readLocalFile(expandHome(path), max_file_bytes);
  if (!isImage(bytes) || bytes.length > max_image_bytes) return { kind: 'file', name, content: bytes };
  return { kind: 'image', url: `data:application/octet-stream;base64,${bytes.toString('base64')}`, name, bytes: bytes.length };
}

/** Returns the name and the size of an attachment. */
export function describeAttachment(attachment: Attachment): string {
  const { name } = attachment;
  return attachment.kind === 'image' ? `${name} (image, ${size(attachment.bytes)})` : `${name} (${size(attachment.content.length)})`;
}

/**
 * Uploads the files among attachments, one after the other. Fails with `invalid_input` if there are too many, and otherwise as the first upload
 * that fails, with the name of the file.
 */
export async function uploadAttachments(
  attachments: readonly Attachment[],
  upload: (file: LocalFile) => Promise<{ id: string }>,
): Promise<Attached> {
  const images = attachments.filter((one) => one.kind === 'image').map(({ url, name }) => ({ url, name }));
  const files = attachments.filter((one) => one.kind === 'file');
  if (images.length > max_attachments || files.length > max_attachments)
    throw fail('invalid_input', `Nothing was sent: a message has at most ${max_attachments} files and ${max_attachments} images`);
  const ids: string[] = [];
  for (const { name, content } of files) ids.push((await uploadFile({ name, bytes: content }, upload)).id);
  return { ...(images.length > 0 && { images }), ...(ids.length > 0 && { files: ids }) };
}

/** Returns whether bytes begin as PNG, JPEG, GIF or WebP do. */
function isImage(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 12);
  return start.startsWith('\x89PNG\r\n\x1A\n') || /^(?:\xFF\xD8\xFF|GIF8[79]a|RIFF.{4}WEBP)/s.test(start);
}
