import { callTools, type Exchange, type Script, say } from '../../../helpers/model-server.js';
import { sharedOnOneAndTwo } from '../../agents/world.js';
import { collect, type PlatformClient, replyTo } from '../world.js';

export const read = 'read_file_attachment';
/** Reads documents where walls are refused too. */
export const onOneAndTwo = sharedOnOneAndTwo({ settings: { 'plugins.trusted': ['kernel.documents'] } });

/** The content of the last message that the model got. */
export function lastTo({ body }: Exchange): string {
  return String(body.messages.at(-1)?.content);
}

/** Reads a file's page and answers with the result. */
export function reads(input: object): Script[] {
  return [callTools([{ name: read, arguments: input }]), (exchange) => say(lastTo(exchange))(exchange)];
}

/** Sends a message and waits for its reply. */
export async function ask(client: PlatformClient, message: { content: string; files?: string[]; session_id?: string; target_id?: number }) {
  const sent = await client.chat.send(message);
  const events = await collect(client.messages.stream({ message_id: sent.message_id }));
  return { sent, events, reply: await replyTo(client, sent) };
}
