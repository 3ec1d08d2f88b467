import { connection } from '../kit/data/connection.js';
import { failureText } from '../kit/data/failure-text.js';
import { useMe } from '../kit/data/members.js';
import { useGo } from '../kit/data/navigation.js';
import { notify } from '../kit/data/notices.js';
import { type Language, type ThemeName, usePreferences } from '../kit/data/use-preferences.js';
import { useValue } from '../kit/data/value.js';
import { Avatar, Menu, type MenuEntry } from '../kit/index.js';
import { own_page } from './entries.js';
import { useChosenPresence } from './idleness.js';
import { type shellTexts, useShellTexts } from './texts/index.js';

const themes: readonly ThemeName[] = ['system', 'light', 'dark'];
const languages: readonly Language[] = ['en', 'zh-CN'];

/** Shows who is logged in, and what concerns the member alone. */
export function AccountMenu({ keys }: { keys: () => void }) {
  const text = useShellTexts();
  const { id, nickname, username } = useMe();
  const name = nickname || username;
  const items = useItems(keys);
  const trigger = (
    <span className="shell-me">
      <Avatar member_id={id} name={name} isVirtual={false} size="small" presence />
      <bdi>{name}</bdi>
    </span>
  );
  return (
    <div className="shell-account">
      <Menu label={`${text.account}: ${name}`} text={trigger} items={items} />
    </div>
  );
}

function useItems(keys: () => void): (MenuEntry | null)[] {
  const text = useShellTexts();
  const go = useGo();
  const { pages } = useValue(connection().start);
  const [chosen, setPresence] = useChosenPresence();
  const [preferences, change] = usePreferences();
  const hasOwnPage = pages.some(({ entries }) => entries.some(({ path }) => path === own_page));
  const set = (changes: Parameters<typeof change>[0]) => change(changes).catch(showFailure);
  return [
    ...(hasOwnPage ? [{ id: 'profile', label: text.profile, icon: 'person' as const, run: () => go(own_page) }] : []),
    chosen === 'dnd'
      ? { id: 'presence', label: text.available, icon: 'bell', run: () => setPresence('online') }
      : { id: 'presence', label: text.doNotDisturb, icon: 'bell-off', run: () => setPresence('dnd') },
    { id: 'keys', label: text.keys, icon: 'keyboard', keys: '?', run: keys },
    null,
    ...themes.map((theme) => ({
      id: `theme-${theme}`,
      label: text.theme[theme],
      isChosen: preferences.theme === theme,
      run: () => void set({ theme }),
    })),
    null,
    ...languages.map((language) => ({
      id: `language-${language}`,
      label: text.language[language],
      isChosen: preferences.language === language,
      run: () => void set({ language }),
    })),
    null,
    { id: 'log-out', label: text.logOut, icon: 'log-out', run: () => void logOut(text) },
  ];
}

export async function logOut(text: Pick<typeof shellTexts.en, 'logOutFailed'>): Promise<void> {
  await connection()
    .session.logOut()
    .catch((error: unknown) => notify(text.logOutFailed, { kind: 'error', detail: failureText(error).title }));
}

function showFailure(error: unknown): void {
  const { title, detail } = failureText(error);
  notify(title, { kind: 'error', detail });
}
