import { applyPreferences, type Language, preferences } from '../kit/data/preferences.js';
import { useTexts } from '../kit/data/texts.js';
import { useValue } from '../kit/data/value.js';
import { logInTexts } from './texts/log-in.js';

const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['zh-CN', '简体中文'],
];

/** Offers the languages of the web app to somebody who has no settings yet. */
export function Languages() {
  const text = useTexts(logInTexts);
  const { language, theme } = useValue(preferences);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be part of a form
    <div className="shell-languages" role="group" aria-label={text.language}>
      {languages.map(([tag, name]) => (
        <button
          key={tag}
          type="button"
          lang={tag}
          aria-pressed={tag === language}
          onClick={() => applyPreferences({ language: tag, zone: null, theme })}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
