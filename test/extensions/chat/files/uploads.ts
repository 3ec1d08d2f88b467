import type { MessageFile, Sent } from '../../../../extensions/chat/contract.js';
import type { PlatformClient } from '../world.js';

/** Uploads a file, whose content is a text or bytes. */
export function upload(client: PlatformClient, name: string, content: string | Buffer, options: object = {}): Promise<MessageFile> {
  return client.files.upload({ file: { name, bytes: Buffer.from(content) } } as never, options);
}

/** Uploads a file and sends it with no text, as a note or into a session. */
export async function sendFile(client: PlatformClient, name: string, more: object = {}): Promise<Sent & { file_id: string }> {
  const { id } = await upload(client, name, `The content of ${name}`);
  return { ...(await client.chat.send({ content: '', files: [id], target_type: '', ...more })), file_id: id };
}
