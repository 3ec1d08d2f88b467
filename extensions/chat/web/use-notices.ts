import { useFrames, useGo, useKept, useMe, useTexts } from '@platform/kit';
import { useEffect, useRef } from 'react';
import type { Session } from '../contract.js';
import { api, sessions_input } from './api.js';
import { chime } from './chime.js';
import { oneLine } from './quote.js';
import type { MessageFrame } from './records.js';
import { texts } from './texts.js';

/** How a tab tells of messages while it is open. */
export interface NoticeSettings {
  browser: boolean;
  sound: boolean;
}

export function useNoticeSettings() {
  return useKept<NoticeSettings>('chat.notices', { browser: false, sound: false }, { persisted: true });
}

const max_age_ms = 60_000;

/** Shows the browser's own notices, with a sound if it is wanted, for messages that the member doesn't see arrive. */
export function useNotices(open: string | undefined): void {
  const text = useTexts(texts);
  const go = useGo();
  const me = useMe();
  const [{ browser, sound }] = useNoticeSettings();
  const shown = useRef(new Set<Notification>());
  useEffect(() => {
    const { current: all } = shown;
    return () => {
      for (const notice of all) notice.close();
    };
  }, []);
  useFrames(['message.created', 'approval.required'], ({ type, data }) => {
    if (!browser && !sound) return;
    const about = type === 'approval.required' ? approvalNotice(data, { me: me.id, text }) : messageNotice(data, { me: me.id, open });
    if (!about) return;
    if (sound) chime();
    if (!browser || !('Notification' in window) || Notification.permission !== 'granted') return;
    const notice = new Notification(about.title, { body: about.body, tag: about.session_id });
    shown.current.add(notice);
    notice.onclose = () => shown.current.delete(notice);
    notice.onclick = () => {
      window.focus();
      go(`/chat/${about.session_id}`);
      notice.close();
    };
  });
}

interface About {
  session_id: string;
  title: string;
  body: string;
}

function approvalNotice(data: object, { me, text }: { me: number; text: ReturnType<typeof useTexts<typeof texts.en>> }): About | undefined {
  const { session_id, approval } = data as { session_id: string; approval: { name: string; requested_by: number } };
  if (approval.requested_by !== me) return undefined;
  return { session_id, title: text.approval.notice, body: approval.name };
}

/** Returns what to tell of a message; undefined if it is the member's own, in sight, old, or not wanted by the conversation's level. */
function messageNotice(data: object, { me, open }: { me: number; open: string | undefined }): About | undefined {
  const { message } = data as MessageFrame;
  if (message.sender_id === me || message.status === 'streaming') return undefined;
  if (message.session_id === open && !document.hidden) return undefined;
  if (Date.now() - Date.parse(message.created_at) > max_age_ms) return undefined;
  const session = api
    .cached('sessions.list', sessions_input)
    .get()
    ?.find(({ id }: Session) => id === message.session_id);
  if (
    !session ||
    !wants(
      session,
      message.mentions.some((mention) => mention.member_id === me || mention.room === true),
    )
  )
    return undefined;
  const title = session.target_type === 'room' ? `${message.sender_name} · ${session.title}` : message.sender_name;
  return { session_id: message.session_id, title, body: oneLine(message.content) };
}

function wants({ notifications: { level, muted_until }, target_type }: Session, isMentioned: boolean): boolean {
  if (muted_until !== null && Date.parse(muted_until) > Date.now()) return false;
  if (level === 'none') return false;
  return level === 'all' || target_type !== 'room' || isMentioned;
}
