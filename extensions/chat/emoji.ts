import { fail } from '../../kernel/contract/index.js';

// The formatter would write a literal with the flag `u`, which doesn't know properties of strings.
const flag = 'v';
const oneEmoji = new RegExp('^\\p{RGI_Emoji}$', flag);

/** Fails with `invalid_input` unless the text is one emoji that Unicode recommends for general interchange. */
export function assertEmoji(emoji: string): void {
  if (oneEmoji.test(emoji)) return;
  const message = "'emoji' must be one emoji";
  throw fail('invalid_input', message, { details: [{ path: 'emoji', message }] });
}
