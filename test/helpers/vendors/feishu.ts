import { createHmac } from 'node:crypto';
import type { Test } from 'tap';
import { type ChatOptions, type ChatReceiver, type Received, type Reply, startReceiver } from './receiver.js';

const token = 'feishu-token-5f0c1a';

interface Element {
  tag: string;
  text?: string;
  href?: string;
  user_id?: string;
}

/** A custom bot as https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot describes it. */
export async function startFeishu(
  t: Test,
  { secret, max = 100, keyword = '' }: ChatOptions & { keyword?: string } = {},
): Promise<ChatReceiver> {
  const messages: string[] = [];
  const called: string[] = [];
  const receiver = await startReceiver(t, (received) => {
    const refused = (code: number, msg: string): Reply => ({ body: { code, data: {}, msg } });
    if (received.url.pathname !== `/open-apis/bot/v2/hook/${token}`) {
      return refused(19001, 'param invalid: incoming webhook access token invalid');
    }
    if (!isJson(received) || Buffer.byteLength(received.text) > 20 * 1024) return refused(9499, 'Bad Request');
    if (secret !== undefined && !isSigned(received, secret)) {
      return refused(19021, 'sign match fail or timestamp is not within one hour from current time');
    }
    const elements = elementsOf(received);
    if (elements === undefined) return refused(19002, 'params error, msg_type need');
    const text = elements.flatMap((element) => element.text ?? []).join('\n');
    if (!text.includes(keyword)) return refused(19024, 'Key Words Not Found');
    if (messages.length >= max) return refused(11232, 'frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]');
    messages.push(text);
    called.push(...elements.flatMap(({ tag, user_id = '' }) => (tag === 'at' ? user_id : [])));
    return { body: { StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' } };
  });
  return { ...receiver, url: `${receiver.origin}/open-apis/bot/v2/hook/${token}`, messages, called };
}

function isJson({ method, headers, body }: Received): boolean {
  return method === 'POST' && body !== undefined && /^application\/json\b/.test(headers['content-type'] ?? '');
}

function isSigned({ body }: Received, secret: string): boolean {
  const { timestamp, sign } = body as { timestamp?: unknown; sign?: unknown };
  if (typeof timestamp !== 'string' || Math.abs(Date.now() / 1_000 - Number(timestamp)) > 3_600) return false;
  return sign === createHmac('sha256', [timestamp, secret].join('\n')).update('').digest('base64');
}

/** In a `text`, tags are read; in a `post`, they are elements of their own. */
function elementsOf({ body }: Received): Element[] | undefined {
  const { msg_type, content } = body as {
    msg_type?: string;
    content?: { text?: string; post?: { zh_cn?: { title?: string; content: Element[][] } } };
  };
  if (msg_type === 'text' && content?.text) {
    const at = [...content.text.matchAll(/<at user_id="([^"]*)"/g)].map(([, user_id = '']) => ({ tag: 'at', user_id }));
    return [{ tag: 'text', text: content.text }, ...at];
  }
  const post = content?.post?.zh_cn;
  return msg_type === 'post' && post ? [{ tag: 'title', text: post.title ?? '' }, ...post.content.flat()] : undefined;
}
