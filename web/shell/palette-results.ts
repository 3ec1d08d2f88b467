import { useEffect, useMemo, useState } from 'react';
import { connection } from '../kit/data/connection.js';
import { failureText } from '../kit/data/failure-text.js';
import { useGo } from '../kit/data/navigation.js';
import { notify } from '../kit/data/notices.js';
import { shortcuts } from '../kit/data/shortcuts.js';
import { usePreferences } from '../kit/data/use-preferences.js';
import { useValue } from '../kit/data/value.js';
import { logOut } from './account-menu.js';
import { frameApi } from './badges.js';
import { own_page, useGroups } from './entries.js';
import { useShellTexts } from './texts/index.js';

/** Something that the palette can open. */
export interface Found {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly detail?: string | undefined;
  readonly keys?: string | undefined;
  run: () => void;
}

export interface FoundGroup {
  readonly title: string;
  readonly items: readonly Found[];
}

const pause_ms = 120;
const max_each = 6;

/** Returns what matches the query: pages and actions at once, conversations and people as soon as the server has answered. */
export function useFound(query: string, keys: () => void): FoundGroup[] {
  const text = useShellTexts();
  const asked = usePaused(query.trim());
  const pages = usePages();
  const conversations = useConversations(query.trim());
  const people = usePeople(asked);
  const actions = useActions(keys);
  return useMemo(() => {
    const wanted = query.trim();
    const groups = [
      { title: text.pages, items: wanted === '' ? pages : matching(pages, wanted) },
      { title: text.conversations, items: conversations },
      { title: text.people, items: people },
      { title: text.actions, items: matching(actions, wanted) },
    ];
    return groups.filter(({ items }) => items.length > 0);
  }, [query, text, pages, conversations, people, actions]);
}

function usePages(): Found[] {
  const text = useShellTexts();
  const go = useGo();
  const { work, plugins, manage } = useGroups();
  const { pages } = useValue(connection().start);
  return useMemo(() => {
    const hasOwnPage = pages.some(({ entries }) => entries.some(({ path }) => path === own_page));
    const own = hasOwnPage ? [{ path: own_page, title: text.profile, icon: 'person' }] : [];
    return [...work, ...plugins, ...manage, ...own].map(({ path, title, icon }) => ({
      id: `page ${path}`,
      name: title,
      icon,
      run: () => go(path),
    }));
  }, [work, plugins, manage, pages, text, go]);
}

function useConversations(query: string): Found[] {
  const go = useGo();
  const { data } = frameApi.useRead('sessions.list', { limit: 200, offset: 0 }, { enabled: frameApi.can('sessions.list') });
  return useMemo(() => {
    const all = (data ?? []).map(({ id, title, target_type, last_message_preview }) => ({
      id: `conversation ${id}`,
      name: title || last_message_preview || '…',
      icon: target_type === 'room' ? 'room' : target_type === 'ai' ? 'agent' : 'message',
      detail: title ? last_message_preview : undefined,
      run: () => go(`/chat/${id}`),
    }));
    return query === '' ? all.slice(0, max_each) : matching(all, query).slice(0, max_each);
  }, [data, query, go]);
}

function usePeople(keyword: string): Found[] {
  const text = useShellTexts();
  const go = useGo();
  const { data } = frameApi.useRead(
    'members.list',
    { keyword, page_size: max_each, active: true },
    { enabled: keyword !== '' && frameApi.can('members.list'), keep: true },
  );
  return useMemo(() => {
    if (keyword === '') return [];
    const talk = async (member_id: number) => {
      try {
        const { session_id } = await frameApi.call('contacts.start', { member_id });
        go(`/chat/${session_id}`);
      } catch (error) {
        const { title, detail } = failureText(error);
        notify(title, { kind: 'error', detail });
      }
    };
    return (data?.items ?? []).map(({ id, nickname, username, is_virtual }) => ({
      id: `member ${id}`,
      name: nickname || username,
      icon: is_virtual ? 'agent' : 'person',
      detail: is_virtual ? `@${username} · ${text.ai}` : `@${username}`,
      run: () => void talk(id),
    }));
  }, [data, keyword, text, go]);
}

function useActions(keys: () => void): Found[] {
  const text = useShellTexts();
  const [, change] = usePreferences();
  const ofPages = useValue(shortcuts);
  return useMemo(() => {
    const set = (changes: Parameters<typeof change>[0]) => void change(changes).catch(() => undefined);
    const own = ofPages
      .filter(({ keys: key }) => key !== 'mod+k' && key !== '?')
      .map(({ keys: key, label, run }) => ({
        id: `shortcut ${key}`,
        name: label,
        icon: 'keyboard',
        keys: key,
        run: () => run(new KeyboardEvent('keydown')),
      }));
    return [
      ...own,
      { id: 'theme light', name: text.theme.light, icon: 'light', run: () => set({ theme: 'light' }) },
      { id: 'theme dark', name: text.theme.dark, icon: 'dark', run: () => set({ theme: 'dark' }) },
      { id: 'theme system', name: text.theme.system, icon: 'settings', run: () => set({ theme: 'system' }) },
      { id: 'language en', name: text.language.en, icon: 'language', run: () => set({ language: 'en' }) },
      { id: 'language zh', name: text.language['zh-CN'], icon: 'language', run: () => set({ language: 'zh-CN' }) },
      { id: 'keys', name: text.keys, icon: 'keyboard', keys: '?', run: keys },
      { id: 'log out', name: text.logOut, icon: 'log-out', run: () => void logOut(text) },
    ];
  }, [text, change, ofPages, keys]);
}

/** Returns those whose name or detail has all words of the query; names that begin with it come first. */
function matching(all: readonly Found[], query: string): Found[] {
  const words = folded(query).split(/\s+/).filter(Boolean);
  const rank = ({ name }: Found) => (folded(name).startsWith(folded(query)) ? 0 : 1);
  return all
    .filter(({ name, detail = '' }) => words.every((word) => folded(name).includes(word) || folded(detail).includes(word)))
    .sort((one, other) => rank(one) - rank(other));
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Returns the value as it was when it last rested. */
function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pause_ms);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
