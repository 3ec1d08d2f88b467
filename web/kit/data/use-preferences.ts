import { useCallback } from 'react';
import { connection } from './connection.js';
import { callOperation } from './operations.js';
import { applyPreferences, type Preferences, preferences, type StoredPreferences } from './preferences.js';
import { useValue } from './value.js';

export type { Language, Preferences, ThemeName } from './preferences.js';

/** Returns language, zone and theme in force, and a function that stores changes and applies them at once. It rejects if they can't be stored. */
export function usePreferences(): [
  Preferences & { readonly stored: StoredPreferences },
  (change: Partial<StoredPreferences>) => Promise<void>,
] {
  const { start } = connection();
  const now = useValue(preferences);
  const stored = useValue(start).settings;
  const change = useCallback(
    async (changes: Partial<StoredPreferences>) => {
      const before = start.get().settings;
      // At once: nobody should wait for the server to see another theme.
      applyPreferences({ ...before, ...changes });
      try {
        await callOperation('members.set_settings', changes);
      } catch (error) {
        applyPreferences(before);
        throw error;
      }
    },
    [start],
  );
  return [{ ...now, stored }, change];
}
