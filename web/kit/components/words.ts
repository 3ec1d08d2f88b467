import { type Texts, useTexts } from '../data/index.js';
import { en } from '../texts/en.js';
import { zh } from '../texts/zh.js';

const catalogue = { en, 'zh-CN': zh };

/** Returns the words of the kit's own components in the member's language. */
export function useWords(): Texts<typeof en> {
  return useTexts(catalogue);
}
