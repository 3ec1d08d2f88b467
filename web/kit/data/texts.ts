import { type Language, preferences } from './preferences.js';
import { useValue } from './value.js';

/** The same keys as `T`, with texts of any wording: `export const zh = {…} satisfies Texts<typeof en>`. */
export type Texts<T> = {
  readonly [Key in keyof T]: T[Key] extends (...args: infer Args) => string
    ? (...args: Args) => string
    : T[Key] extends string
      ? string
      : Texts<T[Key]>;
};

/** Texts in all languages of the web app. */
export type Catalogue<T> = { readonly en: T; readonly 'zh-CN': Texts<T> };

/** Returns the texts in the member's language: `const text = useTexts({ en, 'zh-CN': zh })`. */
export function useTexts<T>(catalogue: Catalogue<T>): Texts<T> {
  const { language } = useValue(preferences);
  return catalogue[language] as Texts<T>;
}

/** Returns the texts in the member's language outside of a component. */
export function textsOf<T>(catalogue: Catalogue<T>): Texts<T> {
  return catalogue[preferences.get().language] as Texts<T>;
}

/** Returns the catalogues' language, for texts that come as data: `entry.title[language]`. */
export function useLanguage(): Language {
  return useValue(preferences).language;
}
