import { invalidInput } from './codes.js';

// The formatter would write a literal with the flag `u`, which doesn't know properties of strings.
const flag = 'v';
const oneEmoji = new RegExp('^\\p{RGI_Emoji}$', flag);

/** Returns whether the text is one emoji that Unicode recommends for general interchange. */
export function isEmoji(text: string): boolean {
  return oneEmoji.test(text);
}

/** Fails with `invalid_input` unless the text is one emoji that Unicode recommends for general interchange. */
export function assertEmoji(emoji: string): void {
  if (!isEmoji(emoji)) throw invalidInput('emoji', "'emoji' must be one emoji");
}
