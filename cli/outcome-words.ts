import { cell } from './table.js';

/** Past participles by the last word of a command. */
const participles: Readonly<Record<string, string>> = {
  approve: 'approved',
  delete: 'deleted',
  distrust: 'distrusted',
  install: 'installed',
  revoke: 'revoked',
  rm: 'removed',
  run: 'started',
  send: 'sent',
  stop: 'stopped',
  trust: 'trusted',
  yank: 'withdrawn',
  add: 'added',
  remove: 'removed',
  reset: 'reset',
  transfer: 'transferred',
};

/** Returns the participle of a command: `deleted` for `member delete`, `removed` for `chat remove-plugin`. */
function participleOf(path: string): string | undefined {
  const last = path.split(' ').at(-1) ?? '';
  return participles[last] ?? participles[last.split('-')[0] ?? ''];
}

/** For a person who has answered a question with no. */
export function nothingDone(path: string): string {
  return `Nothing was ${participleOf(path) ?? 'changed'}`;
}

/** For a command whose answer is empty: `Deleted: member 3`. */
export function doneLine(path: string, args: readonly string[]): string {
  const participle = participleOf(path) ?? 'done';
  const words = path.split(' ');
  const named = participleOf(path) === undefined || words.length < 2 ? words : words.slice(0, -1);
  return `${participle.charAt(0).toUpperCase()}${participle.slice(1)}: ${[...named, ...args].map(cell).join(' ')}`;
}
