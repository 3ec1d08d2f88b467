import { type HostileCase, ran } from './case.js';

/** Output of a program, in the frame of the terminal. `after` follows it and has to be on the screen. */
export interface TerminalCase extends HostileCase {
  prints: string;
}

export const terminal: readonly TerminalCase[] = [
  {
    name: 'a title that a program sets changes no title',
    rule: 'CVE-2003-0063',
    prints: `\u001b]0;evil ${ran}\u0007\u001b]2;evil\u001b\\`,
  },
  { name: 'a question for the title has no answer', rule: 'CVE-2003-0063', prints: '\u001b[21t\u001b[20t' },
  {
    name: 'a program reads and writes no clipboard',
    rule: 'OSC 52; CVE-2020-9364',
    prints: '\u001b]52;c;ZXZpbA==\u0007\u001b]52;c;?\u0007',
  },
  {
    name: 'a question for the kind of terminal types nothing',
    rule: 'CVE-2022-45872; DA, DA2, DA3',
    prints: '\u001b[c\u001b[>c\u001b[=c\u001b[>q',
  },
  { name: 'nor one for the cursor', rule: 'CVE-2021-28848; DSR', prints: '\u001b[6n\u001b[?6n\u001b[5n' },
  { name: 'nor one for colours', rule: 'CWE-150; OSC 4, 10, 11', prints: '\u001b]10;?\u0007\u001b]11;?\u0007\u001b]4;1;?\u0007' },
  {
    name: 'nor one for settings',
    rule: 'CVE-2019-0542 (xterm.js); DECRQSS, DECRQM',
    prints: '\u001bP$q"p\u001b\\\u001bP$qm\u001b\\\u001b[?25$p\u001b[4$p',
  },
  {
    name: 'a link of a script is not followed',
    rule: 'OSC 8; CVE-2023-46321',
    prints: `\u001b]8;;javascript:${ran}\u0007link\u001b]8;;\u0007`,
  },
  { name: 'a window is neither moved nor resized', rule: 'XTWINOPS', prints: '\u001b[3;0;0t\u001b[8;2;2t\u001b[9;1t' },
  {
    name: 'pictures and programs in strings are dropped',
    rule: 'CVE-2022-24130 (sixel)',
    prints: '\u001bPq#0;2;0;0;0~~\u001b\\\u001b_G;evil\u001b\\\u001b^evil\u001b\\',
  },
  { name: 'a string that never ends takes no more than itself', rule: 'CWE-400', prints: `\u001b]0;${'A'.repeat(20_000)}\u0007` },
  {
    name: 'numbers that are too large move nothing away',
    rule: 'CVE-2024-38395; CWE-190',
    prints: '\u001b[999999999999A\u001b[99999999d\u001b[1;1H\u001b[99999999b\u001b[99999999L',
  },
  { name: 'modes of a mouse type nothing', rule: 'CWE-150', prints: '\u001b[?1000h\u001b[?1002h\u001b[?1003h\u001b[?1006h\u001b[?1004h' },
  { name: 'a flood stays within its scrolling', rule: 'CWE-400', prints: 'flood\r\n'.repeat(20_000) },
];
