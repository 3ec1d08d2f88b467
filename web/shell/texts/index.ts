import { useTexts } from '../../kit/data/texts.js';
import { en } from './en.js';
import { zh } from './zh.js';

export const shellTexts = { en, 'zh-CN': zh };

/** Returns the shell's texts in the member's language. */
export const useShellTexts = () => useTexts(shellTexts);
