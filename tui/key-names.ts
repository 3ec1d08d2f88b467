/** What ink tells of a key beside its text. */
export interface InkKey {
  upArrow: boolean;
  downArrow: boolean;
  leftArrow: boolean;
  rightArrow: boolean;
  pageUp: boolean;
  pageDown: boolean;
  home: boolean;
  end: boolean;
  return: boolean;
  escape: boolean;
  tab: boolean;
  shift: boolean;
  ctrl: boolean;
  meta: boolean;
  backspace: boolean;
  delete: boolean;
}

const special: readonly (readonly [keyof InkKey, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pgup'],
  ['pageDown', 'pgdn'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001B': 'esc',
  '\u007F': 'backspace',
  '\b': 'backspace',
};

/** The names of the keys in one piece of input: what is typed fast comes as one. */
export function keyNames(input: string, key: InkKey): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  const found = special.find(([flag]) => key[flag]);
  if (found) return [found[1]];
  if (key.ctrl) return input === '' ? [] : [`ctrl-${input}`];
  // With alt it is no character that is meant.
  if (key.meta) return [];
  return Array.from(input).flatMap(nameOf);
}

function nameOf(character: string): string[] {
  const control = controls[character];
  if (control !== undefined) return [control];
  const code = character.codePointAt(0) ?? 0;
  if (code > 0 && code < 27) return [`ctrl-${String.fromCharCode(code + 96)}`];
  return code < 32 ? [] : [character];
}
