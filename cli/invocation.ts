import type { Terminal } from './terminal.js';

/** First words of all commands. A test compares them with the program's. */
export const firstWords = [
  'approvals',
  'audit',
  'auth',
  'backup',
  'call',
  'chat',
  'completion',
  'config',
  'doctor',
  'employee',
  'extension',
  'help',
  'import',
  'invitation',
  'login',
  'logout',
  'member',
  'migrate',
  'node',
  'notification',
  'notify',
  'password',
  'restore',
  'room',
  'schedule',
  'serve',
  'session',
  'status',
  'tail',
  'token',
  'tui',
  'version',
  'whoami',
  'x',
] as const;

const command = new RegExp(String.raw`(?<![\w/.@-]|npx )platform (?=(?:${firstWords.join('|')})(?![\w-]))`, 'g');

/** Prefixes the commands in a text with `npx` if npx started this program, as in a clone. */
export function asTyped(text: string, { env }: Pick<Terminal, 'env'>): string {
  return env.npm_lifecycle_event === 'npx' ? text.replace(command, 'npx platform ') : text;
}
