import { en } from './texts/en.js';
import { zh } from './texts/zh.js';

/** The texts of the chat in all languages. */
export const texts = { en, 'zh-CN': zh };
