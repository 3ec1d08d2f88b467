import type { Test } from 'tap';
import { type ChatOptions, type ChatReceiver, startReceiver } from './receiver.js';

const key = 'wecom-key-693a91f6';

/** A group robot as https://developer.work.weixin.qq.com/document/path/91770 describes it. */
export async function startWecom(t: Test, { max = 20 }: Pick<ChatOptions, 'max'> = {}): Promise<ChatReceiver> {
  const messages: string[] = [];
  const called: string[] = [];
  const receiver = await startReceiver(t, ({ url, body }) => {
    const more = 'hint: [1642384567], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query';
    const refused = (errcode: number, errmsg: string) => ({ body: { errcode, errmsg: `${errmsg}, ${more}` } });
    if (url.pathname !== '/cgi-bin/webhook/send' || url.searchParams.get('key') !== key) return refused(93000, 'invalid webhook url');
    const { msgtype, text } = (body ?? {}) as { msgtype?: string; text?: { content?: string; mentioned_list?: string[] } };
    if (msgtype !== 'text' || !text?.content) return refused(40008, 'invalid message type');
    if (Buffer.byteLength(text.content) > 2_048) return refused(40058, 'text.content exceed max length 2048');
    if (messages.length >= max) return refused(45009, 'api freq out of limit');
    messages.push(text.content);
    called.push(...(text.mentioned_list ?? []), ...[...text.content.matchAll(/<@([^>]*)>/g)].map(([, name = '']) => name));
    return { body: { errcode: 0, errmsg: 'ok' } };
  });
  return { ...receiver, url: `${receiver.origin}/cgi-bin/webhook/send?key=${key}`, messages, called };
}
