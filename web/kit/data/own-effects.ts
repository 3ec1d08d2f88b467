import { connection } from './connection.js';
import { applyPreferences, type StoredPreferences } from './preferences.js';

interface Effect {
  /** Added to the input. */
  readonly extend?: object;
  readonly after?: (answer: unknown, input: object) => void;
}

const none: Effect = {};

/** Operations that concern the app itself, whichever page calls them. */
const effects: Readonly<Record<string, Effect>> = {
  // A changed password ends all logins, so this browser gets a new one.
  'auth.password': { extend: { session: 'cookie' }, after: (answer) => connection().session.adopt(answer) },
  'members.set_settings': {
    after: (answer) => {
      const settings = answer as StoredPreferences;
      connection().start.update((start) => ({ ...start, settings }));
      applyPreferences(settings);
    },
  },
  'members.update': {
    after: (_answer, input) => {
      const { id } = input as { id?: number };
      if (id === connection().start.get().me.id) connection().startAgain();
    },
  },
};

/** Returns what a call of the operation means for the app. */
export function effectOf(id: string): Effect {
  return effects[id] ?? none;
}
