import type { Test } from 'tap';
import { type ChatOptions, type ChatReceiver, startReceiver } from './receiver.js';

const path = '/services/T00000000/B00000000/slack-token-XXXXXXXX';

/** An incoming webhook as https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks describes it. */
export async function startSlack(t: Test, { max = 100 }: Pick<ChatOptions, 'max'> = {}): Promise<ChatReceiver> {
  const messages: string[] = [];
  const called: string[] = [];
  const receiver = await startReceiver(t, ({ url, headers, body }) => {
    if (url.pathname !== path) return { status: 403, body: 'invalid_token' };
    if (body === undefined || !/^application\/json\b/.test(headers['content-type'] ?? '')) return { status: 400, body: 'invalid_payload' };
    const { text } = body as { text?: string };
    if (!text) return { status: 400, body: 'no_text' };
    if (messages.length >= max) return { status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' };
    messages.push(shown(text));
    called.push(...[...text.matchAll(/<[!@#]([^>]*)>/g)].map(([, name = '']) => name));
    return { body: 'ok' };
  });
  return { ...receiver, url: `${receiver.origin}${path}`, messages, called };
}

function shown(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
