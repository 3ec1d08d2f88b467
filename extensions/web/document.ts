import type { BrowserFiles, SiteDocument, Visit } from '../../kernel/contract/index.js';

/**
 * Policy of the document: everything comes from the platform itself, scripts and styles only from files or with the document's nonce. No text
 * can become a script: the sinks of the DOM demand a trusted type, and the policy `app` makes only character references such as `&amp;`.
 */
const policyOf = (nonce: string) =>
  [
    "default-src 'none'",
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "media-src 'self'",
    "manifest-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types app',
  ].join('; ');

/** Policy of a frame's own document: its library writes style elements, so it lives apart from the app. */
const framePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * Returns the document of the web app, the same for all addresses. Its import map gives this tab one copy of React and of the kit, whichever
 * version of an extension's pages is loaded later.
 *
 * @param later addresses of modules that the app fetches together, once the member logs in or is logged in.
 */
export function documentOf(files: BrowserFiles, { nonce, prefix }: Visit, later: readonly string[]): SiteDocument {
  const address = (file: string) => `${prefix}/assets/web/${file}`;
  const { module = '', style, imports = {}, parts = {} } = files;
  const map = { imports: Object.fromEntries(Object.entries(imports).map(([name, file]) => [name, address(file)])) };
  const html = `<!doctype html>
<html lang="en" data-prefix="${prefix}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta property="csp-nonce" nonce="${nonce}">
<title>Platform</title>
<link rel="icon" href="data:,">
${style ? `<link rel="stylesheet" href="${address(style)}">\n` : ''}<script type="importmap" nonce="${nonce}">${JSON.stringify(map).replaceAll('<', '\\u003c')}</script>
${(parts[module] ?? []).map((file) => `<link rel="modulepreload" href="${address(file)}">\n`).join('')}<meta name="app-modules" content="${later.join(' ')}">
<script type="module" src="${address(module)}" nonce="${nonce}"></script>
<script nonce="${nonce}">${fetchModules(prefix)}</script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. 此页面需要 JavaScript。</noscript>
</body>
</html>
`;
  return { html, policy: policyOf(nonce) };
}

/**
 * A browser that was logged in here asks for the modules of the page before the first script runs, which saves it a second on a slow line.
 * `web/shell/fetch-modules.ts` does the same once somebody types a name.
 */
const fetchModules = (prefix: string) =>
  `try{if(localStorage.getItem(${JSON.stringify(`platform${prefix}:logged-in`)})!==null){const m=document.querySelector('meta[name="app-modules"]');` +
  "m.remove();for(const href of m.content.split(' ').filter(Boolean))document.head.append(Object.assign(document.createElement('link'),{rel:'modulepreload',href}))}}catch{}";

/** Returns the document of a frame; undefined if there is none with that name. */
export function frameOf({ frames = {} }: BrowserFiles, name: string, { prefix }: Visit): SiteDocument | undefined {
  const found = Object.hasOwn(frames, name) ? frames[name] : undefined;
  if (!found) return undefined;
  const style = found.style ? `<link rel="stylesheet" href="${prefix}/assets/web/${found.style}">\n` : '';
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Platform</title>
${style}<script type="module" src="${prefix}/assets/web/${found.module}"></script>
</head>
<body></body>
</html>
`;
  return { html, policy: framePolicy };
}
