import { type HostileCase, ran } from './case.js';

/** Addresses that somebody may send. Each shows a page of the app, at the platform's own origin. */
export const addresses: readonly (HostileCase & { path: string })[] = [
  { name: 'an address of nothing shows that there is nothing', rule: 'CWE-79 (DOM)', path: `/nowhere/<img src=x onerror=${ran}>` },
  { name: 'a conversation with a name of markup', rule: 'CWE-79 (DOM)', path: `/chat/%3Cimg%20src=x%20onerror=${ran}%3E` },
  { name: 'a message with a quote in its name', rule: 'CWE-79 (DOM)', path: '/chat/x/%22%5D%27)%7B%7D' },
  { name: 'a name that every object has', rule: 'CWE-1321', path: '/chat/__proto__/constructor' },
  { name: 'a plugin of that name', rule: 'CWE-1321', path: '/plugins/__proto__/toString' },
  { name: 'a plugin with a title of markup', rule: 'CWE-79 (DOM)', path: `/plugins/evil/%3Cimg%20src=x%20onerror=${ran}%3E` },
  { name: 'a query that names a script', rule: 'CWE-79 (DOM)', path: `/chat?thread=javascript:${ran}&panel=%3Cscript%3E` },
  { name: 'a fragment that names a script', rule: 'CWE-79 (DOM)', path: `/chat#javascript:${ran}` },
  {
    name: 'a way back to another host is not taken',
    rule: 'CWE-601',
    path: '/login?return=//evil.example&next=https://evil.example&redirect_uri=javascript:1',
  },
  { name: 'a number that is none', rule: 'CWE-20', path: '/schedules/1e999' },
  { name: 'a path of thousands of parts', rule: 'CWE-400', path: `/chat${'/a'.repeat(2_000)}` },
  { name: 'two slashes at the start', rule: 'CWE-601', path: '//evil.example/chat' },
];
