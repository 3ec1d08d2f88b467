import { createHmac } from 'node:crypto';
import type { Test } from 'tap';
import { type ChatOptions, type ChatReceiver, type Received, startReceiver } from './receiver.js';

const token = 'dingtalk-token-77ab10';

/** A custom robot as https://open.dingtalk.com/document/orgapp/custom-robots-send-group-messages describes it. */
export async function startDingtalk(t: Test, { secret, max = 20 }: ChatOptions = {}): Promise<ChatReceiver> {
  const messages: string[] = [];
  const called: string[] = [];
  const receiver = await startReceiver(t, (received) => {
    const refused = (errcode: number, errmsg: string) => ({ body: { errcode, errmsg } });
    const { pathname, searchParams } = received.url;
    if (pathname !== '/robot/send' || searchParams.get('access_token') !== token) return refused(300005, 'token is not exist');
    if (secret !== undefined && !isFresh(received)) return refused(310000, 'invalid timestamp, more: [https://ding-doc.dingtalk.com]');
    if (secret !== undefined && !isSigned(received, secret))
      return refused(310000, 'sign not match, more: [https://ding-doc.dingtalk.com]');
    const { msgtype, text, at } = (received.body ?? {}) as { msgtype?: string; text?: { content?: string }; at?: { isAtAll?: boolean } };
    if (msgtype !== 'text' || !text?.content) return refused(40035, 'missing parameter json');
    if (Buffer.byteLength(text.content) > 20_000) return refused(460101, 'message too long, exceed 20000 bytes');
    if (messages.length >= max) {
      const punished = { status: 1111, wait: 5, source: 'x5', punish: 'deny', uuid: '9ff0e7e2346aabb5a8bcbb7c93c71636' };
      return { body: { ...punished, ...refused(130101, 'send too fast, exceed 20 times per minute').body } };
    }
    messages.push(text.content);
    if (at?.isAtAll) called.push('all');
    return refused(0, 'ok');
  });
  return { ...receiver, url: `${receiver.origin}/robot/send?access_token=${token}`, messages, called };
}

function isFresh({ url }: Received): boolean {
  return Math.abs(Date.now() - Number(url.searchParams.get('timestamp'))) < 3_600_000;
}

/** The query is decoded once: a sign whose `+` and `/` were not encoded has lost them. */
function isSigned({ url }: Received, secret: string): boolean {
  const text = [url.searchParams.get('timestamp'), secret].join('\n');
  return url.searchParams.get('sign') === createHmac('sha256', secret).update(text, 'utf8').digest('base64');
}
