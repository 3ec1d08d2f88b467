import { Failure, isFailure } from '../../../kernel/contract/failure.js';
import type { FailureTitles } from './failure-texts/titles.js';
import { type Language, preferences } from './preferences.js';
import { useValue, Value } from './value.js';

/** A failure in words for the member. */
export interface FailureWords {
  /** Headline in the member's language, by the failure's code. */
  readonly title: string;
  /** The server's own sentence, which names the case; undefined if it adds nothing. */
  readonly detail: string | undefined;
}

const titles = new Value<FailureTitles>({});

const sources: Readonly<Record<Language, () => Promise<{ titles: FailureTitles }>>> = {
  en: () => import('./failure-texts/en.js'),
  'zh-CN': () => import('./failure-texts/zh.js'),
};

let isAsked = false;

/** Loads the headlines of the language in force unless that has begun, and again when it changes. */
export function loadFailureTexts(): void {
  if (isAsked) return;
  isAsked = true;
  const load = async () => titles.set((await sources[preferences.get().language]()).titles);
  preferences.watch(() => void load().catch(() => undefined));
  load().catch(() => {
    isAsked = false;
  });
}

/** Returns a failure in words: a headline by its code, and the server's sentence below. */
export function failureText(error: unknown): FailureWords {
  const { code, message } = isFailure(error) ? error : new Failure('internal_error', String(error), { status: 500 });
  loadFailureTexts();
  const known = titles.get();
  // A plugin chooses its codes, and could choose the name of something that every object has.
  const title = (Object.hasOwn(known, code) ? known[code] : undefined) ?? known.internal_error ?? message;
  return { title, detail: title === message ? undefined : message };
}

/** Returns a failure in words, and draws the component again when its language has been loaded. */
export function useFailureText(error: unknown): FailureWords {
  useValue(titles);
  return failureText(error);
}

/** Returns the headline of a failure code in the member's language, or the code itself if it is a plugin's. */
export function useFailureTitle(code: string): string {
  const known = useValue(titles);
  loadFailureTexts();
  return Object.hasOwn(known, code) ? (known[code] as string) : code;
}

/** Returns what is wrong with each field of an input, by the field's path. */
export function faultsOf(error: unknown): Readonly<Record<string, string>> {
  if (!isFailure(error)) return {};
  return Object.fromEntries((error.details ?? []).map(({ path, message }) => [path, message]));
}
