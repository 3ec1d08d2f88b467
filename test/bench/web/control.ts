import { randomBytes } from 'node:crypto';
import hapi from '@hapi/hapi';

/** A server of plain pages. */
export interface Control {
  url: string;
  stop: () => Promise<void>;
}

/** Returns the address of a page that is drawn once its script has come, with so many bytes in all. */
export const plainPage = (url: string, bytes: number) => `${url}/page/${Math.round(bytes)}`;

/** Returns the address of a page with nothing but an empty field. */
export const plainField = (url: string) => `${url}/field`;

const html = { type: 'text/html' } as const;

/** Serves plain pages without the platform: the least that a browser needs for as many bytes. */
export async function startControl(): Promise<Control> {
  const server = hapi.server({ host: '127.0.0.1', port: 0, compression: false });
  server.route({
    method: 'GET',
    path: '/page/{bytes}',
    handler: ({ params }, h) => h.response(pageOf(Number(params.bytes))).type(html.type),
  });
  server.route({
    method: 'GET',
    path: '/script/{bytes}',
    handler: ({ params }, h) => h.response(scriptOf(Number(params.bytes))).type('text/javascript'),
  });
  server.route({
    method: 'GET',
    path: '/field',
    handler: (_request, h) => h.response('<!doctype html><title>Field</title><textarea id="field"></textarea>').type(html.type),
  });
  await server.start();
  return { url: server.info.uri, stop: () => server.stop() };
}

function pageOf(bytes: number): string {
  const page = (of_script: number) =>
    `<!doctype html><title>Static</title><link rel="icon" href="data:,"><p id="at">…</p><script src="/script/${of_script}"></script>`;
  return page(Math.max(0, bytes - page(bytes).length));
}

/** A script that says it is there, filled up with a comment. */
function scriptOf(bytes: number): string {
  const code = "document.querySelector('#at').id = 'ready';";
  const filling = Math.max(0, bytes - code.length - '/**/'.length);
  return `/*${randomBytes(filling).toString('base64').slice(0, filling)}*/${code}`;
}
