import type { HostileCase } from './case.js';

/** Attack by a page of another origin in a browser whose member is logged in. `APP` stands for the platform's address. */
export interface WindowCase extends HostileCase {
  /** Body of an async function. */
  code: string;
  finds: string;
}

const loaded = (name: string, attributes: string) => `
  const element = Object.assign(document.createElement('${name}'), ${attributes});
  const ended = new Promise((resolve) => { element.onload = () => resolve('loaded'); element.onerror = () => resolve('refused'); });
  document.head.append(element);
  return ended;`;

export const windows: readonly WindowCase[] = [
  {
    name: 'reads no answer',
    rule: 'CWE-942; CORS',
    code: `return fetch('APP/api/version', { credentials: 'include' }).then(() => 'read', () => 'refused')`,
    finds: 'refused',
  },
  {
    name: 'sends no JSON',
    rule: 'CWE-352',
    code: `return fetch('APP/api/notifications', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}', credentials: 'include' }).then(() => 'sent', () => 'refused')`,
    finds: 'refused',
  },
  {
    name: 'takes no answer for a script',
    rule: 'CWE-829; CORB, CORP',
    code: loaded('script', `{ src: 'APP/api/version' }`),
    finds: 'refused',
  },
  { name: 'takes no module of the app', rule: 'CORP', code: loaded('script', `{ src: 'APP/assets/frames/terminal' }`), finds: 'refused' },
  {
    name: 'takes no answer for a style sheet',
    rule: 'CVE-2009-0357 (cross-origin CSS)',
    code: loaded('link', `{ rel: 'stylesheet', href: 'APP/chat' }`),
    finds: 'refused',
  },
  { name: 'shows no image of the platform', rule: 'CORP; CWE-200', code: loaded('img', `{ src: 'APP/api/version' }`), finds: 'refused' },
  {
    name: 'reads nothing of a window of the app',
    rule: 'Same-origin policy',
    code: `const other = open('APP/chat'); await new Promise((resolve) => setTimeout(resolve, 400)); try { return other.document.title } catch { return 'refused' } finally { other.close() }`,
    finds: 'refused',
  },
  {
    name: 'gets no terminal by a message',
    rule: 'CWE-346; OWASP postMessage',
    code: `const other = open('APP/assets/frames/terminal'); await new Promise((resolve) => setTimeout(resolve, 600));
      const { port1, port2 } = new MessageChannel();
      const answer = new Promise((resolve) => { port1.onmessage = () => resolve('terminal'); setTimeout(resolve, 400, 'silent'); });
      other.postMessage({ type: 'begin', label: 'x', look: {} }, '*', [port2]);
      return answer.finally(() => other.close());`,
    finds: 'silent',
  },
  {
    name: 'ends no login',
    rule: 'CWE-352',
    code: `await fetch('APP/api/auth/logout', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(() => undefined); return 'sent'`,
    finds: 'sent',
  },
  {
    name: 'renews no login',
    rule: 'CWE-352',
    code: `await fetch('APP/api/auth/refresh', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).catch(() => undefined); return 'sent'`,
    finds: 'sent',
  },
];
