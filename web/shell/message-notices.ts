import { useEffect, useRef } from 'react';
import { useBrowserNotices } from '../kit/data/browser-notices.js';
import { chime } from '../kit/data/chime.js';
import { connection } from '../kit/data/connection.js';
import { useFrames } from '../kit/data/frames.js';
import { useMe } from '../kit/data/members.js';
import { useGo, useRoute } from '../kit/data/navigation.js';
import { oneLine } from '../kit/data/one-line.js';
import { keyOf, operations } from '../kit/data/operations.js';
import { holdAlone, isInSight, markInSight } from './sole-tab.js';
import { useShellTexts } from './texts/index.js';

/** Parts of a conversation that notices need. */
interface FoundSession {
  title: string;
  target_type: string;
  notifications: { level: string; muted_until: string | null };
}

type NoticesApi = { 'sessions.get': { input: { session_id: string }; answer: FoundSession } };

interface ArrivedMessage {
  session_id: string;
  sender_id: number | null;
  sender_name: string;
  content: string;
  status: string;
  created_at: string;
  mentions: readonly { member_id?: number; room?: boolean }[];
}

interface AskedApproval {
  name: string;
  requested_by: number;
}

interface About {
  session_id: string;
  title: string;
  body: string;
}

const api = operations<NoticesApi>();
const max_age_ms = 60_000;
/** How long a conversation's level is taken for current. */
const fresh_ms = 60_000;

/**
 * Shows the browser's own notices, with a sound if it is wanted, for messages that the member sees in no tab. It runs whichever page is open,
 * and in one tab of a browser only.
 */
export function useMessageNotices(): void {
  const text = useShellTexts();
  const go = useGo();
  const me = useMe().id;
  const [{ browser, sound }] = useBrowserNotices();
  const isSole = useSoleTab(browser || sound);
  const shown = useShownNotices();
  useSessionInSight(browser || sound);
  const show = async ({ session_id, title, body }: About) => {
    if (await isInSight(sightOf(session_id))) return;
    if (sound) chime();
    if (!browser || !('Notification' in window) || Notification.permission !== 'granted') return;
    const notice = new Notification(title, { body, tag: session_id });
    shown.add(notice);
    notice.onclose = () => shown.delete(notice);
    notice.onclick = () => {
      window.focus();
      go(`/chat/${session_id}`);
      notice.close();
    };
  };
  const take = async (type: string, data: unknown) => {
    if (!isSole.current || !(browser || sound)) return;
    if (type === 'approval.required') {
      const { session_id, approval } = data as { session_id: string; approval: AskedApproval };
      if (approval.requested_by === me) await show({ session_id, title: text.approvalNotice, body: approval.name });
      return;
    }
    const about = await messageNotice((data as { message: ArrivedMessage }).message, me);
    if (about) await show(about);
  };
  // A level that can't be read means no notice.
  useFrames(['message.created', 'approval.required'], ({ type, data }) => void take(type, data).catch(() => undefined));
}

function nameOf(what: string): string {
  const { prefix, start } = connection();
  return `platform${prefix}:${start.get().me.id}:${what}`;
}

function sightOf(session_id: string): string {
  return nameOf(`in sight ${session_id}`);
}

function useSoleTab(isWanted: boolean) {
  const isSole = useRef(false);
  useEffect(() => {
    if (!isWanted) return undefined;
    const end = holdAlone(nameOf('notices'), (is) => {
      isSole.current = is;
    });
    return () => {
      isSole.current = false;
      end();
    };
  }, [isWanted]);
  return isSole;
}

/** The notices that this tab has shown; they go with it. */
function useShownNotices(): Set<Notification> {
  const shown = useRef(new Set<Notification>());
  useEffect(() => {
    const { current: all } = shown;
    return () => {
      for (const notice of all) notice.close();
    };
  }, []);
  return shown.current;
}

/** Tells the other tabs which conversation is in sight here. */
function useSessionInSight(isWanted: boolean): void {
  const { path } = useRoute();
  const session_id = /^\/chat\/([^/]+)/.exec(path)?.[1];
  useEffect(() => {
    if (!isWanted || session_id === undefined) return undefined;
    let release: (() => void) | undefined;
    const look = () => {
      release?.();
      release = document.hidden ? undefined : markInSight(sightOf(session_id));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      release?.();
    };
  }, [isWanted, session_id]);
}

/** Returns what to tell of a message; undefined if it is the member's own, old, or not wanted by the conversation's level. */
async function messageNotice(message: ArrivedMessage, me: number): Promise<About | undefined> {
  const { session_id, sender_id, sender_name, status, created_at, mentions, content } = message;
  if (sender_id === me || status === 'streaming' || Date.now() - Date.parse(created_at) > max_age_ms) return undefined;
  const session = await readSession(session_id);
  const isMentioned = mentions.some((mention) => mention.member_id === me || mention.room === true);
  if (!wants(session, isMentioned)) return undefined;
  const title = session.target_type === 'room' ? `${sender_name} · ${session.title}` : sender_name;
  return { session_id, title, body: oneLine(content) };
}

function readSession(session_id: string): Promise<FoundSession> {
  const input = { session_id };
  return connection().query.fetchQuery({
    queryKey: keyOf('sessions.get', input),
    queryFn: () => api.call('sessions.get', input),
    staleTime: fresh_ms,
  });
}

function wants({ notifications: { level, muted_until }, target_type }: FoundSession, isMentioned: boolean): boolean {
  if (muted_until !== null && Date.parse(muted_until) > Date.now()) return false;
  if (level === 'none') return false;
  return level === 'all' || target_type !== 'room' || isMentioned;
}
