import type { Test } from 'tap';
import { type ChatOptions, type ChatReceiver, startReceiver } from './receiver.js';

export interface TelegramReceiver extends ChatReceiver {
  readonly token: string;
  readonly chat_id: string;
}

const token = '123456789:AAtelegram-token-0123456789abcdefgh';
const chat_id = '-1001234567890';

/** The Bot API as https://core.telegram.org/bots/api describes it; `url` is its own, without the token. */
export async function startTelegram(t: Test, { max = 30 }: Pick<ChatOptions, 'max'> = {}): Promise<TelegramReceiver> {
  const messages: string[] = [];
  const called: string[] = [];
  const receiver = await startReceiver(t, ({ url, body }) => {
    const refused = (error_code: number, description: string, parameters?: object) => ({
      status: error_code,
      body: { ok: false, error_code, description, ...(parameters ? { parameters } : {}) },
    });
    const [, given] = /^\/bot([^/]+)\/sendMessage$/.exec(url.pathname) ?? [];
    if (given === undefined) return refused(404, 'Not Found');
    if (decodeURIComponent(given) !== token) return refused(401, 'Unauthorized');
    const { chat_id: chat, text = '', parse_mode } = (body ?? {}) as { chat_id?: string; text?: string; parse_mode?: string };
    if (chat !== chat_id) return refused(400, 'Bad Request: chat not found');
    if (text.trim() === '') return refused(400, 'Bad Request: message text is empty');
    if (text.length > 4_096) return refused(400, 'Bad Request: message is too long');
    if (parse_mode && /[<>&*_[]/.test(text)) return refused(400, "Bad Request: can't parse entities");
    if (messages.length >= max) return refused(429, 'Too Many Requests: retry after 34', { retry_after: 34 });
    messages.push(text);
    return { body: { ok: true, result: { message_id: messages.length } } };
  });
  return { ...receiver, url: receiver.origin, messages, called, token, chat_id };
}
