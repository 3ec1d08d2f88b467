import type { ReactNode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { usePreferences } from '../data/index.js';

/** Gives the components the member's language and ways of writing numbers; the shell has it around everything. */
export function KitLocale({ children }: { children: ReactNode }) {
  const [{ locale }] = usePreferences();
  return <I18nProvider locale={locale}>{children}</I18nProvider>;
}
