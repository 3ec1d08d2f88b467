import { en } from './en.js';
import { zh } from './zh.js';

export const catalogue = { en, 'zh-CN': zh };
