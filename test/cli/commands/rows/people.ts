import { adminPassword } from '../../../helpers/platform.js';
import type { Rows } from '../row.js';

/** Members, AI employees and tokens. */
export const peopleRows: Rows = {
  'member list': { says: /^\d+\tada\tAda\tmember\tfalse\t/ },
  'member get': { given: { 7: 'member' }, says: /^\d+\tada\tAda\tmember\tfalse\t/ },
  'member create': {
    given: { ada: '=grace', 'Ada Lovelace': '=Grace Hopper' },
    typed: [{ at: /Password \(empty for none\): /, type: 'long enough\r' }],
    piped: { args: ['--password-stdin'], input: 'long enough' },
    says: /^\d+\tgrace\tGrace Hopper\tmember\tfalse\t/,
  },
  'member update': { given: { 7: 'member' }, says: /^\d+\tada\tAda\tadmin\tfalse\t/ },
  'member reset-password': {
    given: { 7: 'leaver' },
    typed: [
      { at: /\[y\/N\] /, type: 'y\r' },
      { at: /New password: /, type: 'long enough\r' },
    ],
    piped: { args: ['--new-password-stdin', '--yes'], input: 'long enough' },
    says: /^\d+\ttrue\n$/,
    field: 'reset',
  },
  'member delete': { given: { 7: 'leaver' }, says: /^$/ },
  'member settings': { says: /\n$/ },
  'member set-settings': { says: /Europe\/Berlin/ },
  'member usage': { says: /^\d+\t5368709120\n$/ },
  'member set-email': {
    typed: [{ at: /Password: /, type: `${adminPassword}\r` }],
    piped: { args: ['--password-stdin'], input: adminPassword },
    says: /\tada@example\.com\n$/,
  },
  'invitation list': { says: /^\d+\tjoan@example\.com\tmember\t/m },
  'invitation get': { given: { 7: 'invitation' }, says: /^\d+\tjoan@example\.com\tmember\t/ },
  'invitation create': {
    says: /\tgrace@example\.com\tmember\t.*\/invitation\/[\w-]{43}\n$/,
    differs: [/\S*\/invitation\/[\w-]+/g],
  },
  'invitation delete': { given: { 7: 'invitation' }, says: /^$/ },
  'member seats': { says: /^\d+\t0\t\d+\n$/ },
  'employee list': { says: /^2\tassistant\tAssistant\t/m },
  'employee create': { says: /^\d+\t\S+\tAda\tResearch assistant\tassistant\t/ },
  'employee settings': { says: /^2\tAssistant\t/m },
  'employee show': { given: { 7: 'employee' }, says: /^2\tAssistant\t/ },
  'employee update': { given: { 2: 'employee' }, says: /\tAnswer in Hungarian\.\t/ },
  'employee profile': { given: { 7: 'employee' }, says: /^Assistant\t/ },
  'employee test-model': {
    typed: [{ at: /: $/, type: '\r' }],
    says: /^false\tllama3\.2\t/,
    shown: /model_unavailable/,
    differs: [/(?<=\t)\d+(?=\t\{)/, /(?<=duration ms: +)\d+/],
  },
  'employee usage-summary': { says: /./ },
  'employee usage': { given: { 2: 'employee', '2030-01-01': '=2026-01-01' }, says: /^2026-01-01\t/ },
  'employee usage-replies': { given: { 7: 'employee' }, says: /^/ },
  // By which way: over HTTP the command has a login of its own.
  'session list': { says: /\ttoken\tscript\t/m, shown: /script/, differs: [/[\s\S]*/] },
  'session end': { given: { 'IfLlc5J4x-usP4L7lUBz6g': 'login' }, says: /^$/ },
  'session end-all': { says: /^\d+\n$/ },
  'token list': { says: /^\d+\tscript\t/m },
  'token create': { says: /\tbackup\tread\t/, differs: [/plat_[\w-]+/g] },
  'token revoke': { given: { 7: 'token' }, says: /^$/ },
  // By which way, and as which row: in each place others came before.
  'audit list': { says: /\tadmin\tmembers\.create\t\d+\tsuccess\t1\t/, shown: /members\.create/, differs: [/[\s\S]*/] },
  'auth rotate-key': { says: /^\S+\t<time>\n$/, differs: [/^[\w-]+(?=\t)/gm, /(?<=kid: +)\S+/g, /(?<="kid": ")[^"]+/g] },
};
