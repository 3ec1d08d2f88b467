/** A password as it was set, and as it is typed at a login. */
export interface PasswordCase {
  name: string;
  source: string;
  set: string;
  typed: string;
  /** Whether the login is let in; `refused`: the password can't be set. */
  expected: 'in' | 'out' | 'refused';
}

const opaque = 'RFC 8265, 4.2 (OpaqueString)';
const nfkc = 'UAX #15';

export const passwordCases: readonly PasswordCase[] = [
  { name: 'set composed, typed decomposed', source: nfkc, set: 'Gr\u00FC\u00DFe-42', typed: 'Gru\u0308\u00DFe-42', expected: 'in' },
  { name: 'set decomposed, typed composed', source: nfkc, set: 'Gru\u0308\u00DFe-42', typed: 'Gr\u00FC\u00DFe-42', expected: 'in' },
  { name: 'set full-width, typed half-width', source: nfkc, set: 'ｐａｓｓｗｏｒｄ', typed: 'password', expected: 'in' },
  { name: 'set half-width, typed full-width', source: nfkc, set: 'password', typed: 'ｐａｓｓｗｏｒｄ', expected: 'in' },
  { name: 'set with a blank, typed with a no-break space', source: opaque, set: 'two words', typed: 'two\u00A0words', expected: 'in' },
  {
    name: 'set with Hangul syllables, typed with jamo',
    source: nfkc,
    set: '비밀번호비밀번호',
    typed: '비밀번호비밀번호'.normalize('NFD'),
    expected: 'in',
  },
  { name: 'the case of letters matters', source: opaque, set: 'Password', typed: 'password', expected: 'out' },
  { name: 'spaces around the password matter', source: opaque, set: ' password ', typed: 'password', expected: 'out' },
  {
    name: 'four letters that decompose to eight are too short',
    source: opaque,
    set: 'üüüü'.normalize('NFD'),
    typed: '',
    expected: 'refused',
  },
  {
    name: '256 letters that decompose to 512 fit',
    source: opaque,
    set: 'ü'.repeat(256).normalize('NFD'),
    typed: 'ü'.repeat(256),
    expected: 'in',
  },
  { name: '257 characters are too many', source: opaque, set: 'x'.repeat(257), typed: '', expected: 'refused' },
  { name: 'a control character is refused', source: opaque, set: 'pass\u0007word', typed: '', expected: 'refused' },
  { name: 'a line feed is refused', source: opaque, set: 'password\n', typed: '', expected: 'refused' },
];

/** A user name as it is typed at a login of `ada`. */
export const userNameCases: readonly { name: string; source: string; typed: string }[] = [
  { name: 'with a trailing space', source: 'autocompletion of telephones', typed: 'ada ' },
  { name: 'with surrounding spaces', source: 'autocompletion of telephones', typed: '  ada\t' },
  { name: 'with a line feed', source: 'names read from files', typed: 'ada\n' },
  { name: 'in capitals', source: 'RFC 8265, 3.3 (UsernameCaseMapped)', typed: 'ADA' },
  { name: 'in full-width letters', source: 'RFC 8265, 3.3: width mapping', typed: 'ａｄａ' },
  { name: 'with a no-break space', source: 'Unicode category Zs', typed: 'ada\u00A0' },
];
