import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createBrotliCompress } from 'node:zlib';
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type {} from '@hapi/inert';
import { fail } from '../../contract/failure.js';
import { assets_path, type SiteDocument, type Visit } from '../../contract/site.js';
import type { CellSite } from '../../core/catalog/cell.js';
import type { Incoming, Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

/** Time that browsers keep a file whose name changes with its content. */
const forever_ms = 365 * 24 * 3_600_000;

/** Endings of the compressed files that the build has put beside each file. */
const compressed = { br: '.br', gzip: '.gz' } as const;

/** Adds the routes of the web app. The front sends every navigation that no extension claims to its cell. */
export async function addSite(
  server: Server,
  { site, pages }: CellSite,
  { responder, prefix }: { responder: Responder; prefix: string },
): Promise<void> {
  const { plugin: inert } = await import('@hapi/inert');
  await server.register(inert);
  // hapi chooses an encoding only among those it could write itself; nothing is compressed here, the files lie ready.
  server.encoder('br', () => createBrotliCompress());
  server.ext('onPreResponse', (request, h) =>
    isOurs(request) && 'isBoom' in request.response ? missing(responder, request, h) : h.continue,
  );
  const visitOf = ({ path }: Request): Visit => ({ nonce: randomBytes(16).toString('base64url'), prefix, path });
  const show = (request: Request, h: ResponseToolkit, make: (visit: Visit) => SiteDocument | undefined) => {
    responder.prepare(begun(request));
    const made = make(visitOf(request));
    if (made === undefined) return missing(responder, request, h);
    return h.response(made.html).type('text/html').header('Content-Security-Policy', made.policy).header('Cache-Control', 'no-store');
  };
  server.route([
    {
      method: 'GET',
      path: `${assets_path}/frames/{name}`,
      options: { auth: false, app: ours as object },
      handler(request, h) {
        const shown = show(request, h, (visit) => site.frame(String(request.params.name), visit));
        return typeof shown === 'symbol' ? shown : shown.header('X-Frame-Options', 'SAMEORIGIN');
      },
    },
    {
      method: 'GET',
      path: `${assets_path}/{extension}/{file}`,
      options: { auth: false, app: ours as object, cache: { expiresIn: forever_ms, privacy: 'public' } },
      handler(request, h) {
        const { extension, file } = request.params as { extension: string; file: string };
        const found = pages().find((each) => each.extension === extension);
        responder.prepare(begun(request));
        if (!found || !/\.(?:js|css|woff2|svg|png|webmanifest)$/.test(file)) return missing(responder, request, h);
        return fileOf(request, h, { folder: found.folder, file });
      },
    },
    {
      method: 'GET',
      path: '/{any*}',
      options: { auth: false, app: ours as object },
      handler(request, h) {
        if (!isNavigation(request.raw.req as Incoming) || !mayShowDocument(request.path)) return missing(responder, request, h);
        return show(request, h, (visit) => site.document(visit));
      },
    },
  ]);
}

/** Returns whether a browser wants a document: a navigation names `text/html`, while programs accept anything or JSON. */
export function isNavigation({ method, headers: { accept = '' } }: Pick<Incoming, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return accept.split(',').some((type) => /^\s*text\/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:;|$))|$)/i.test(type));
}

/** Returns whether a path may show a document of the web app: never below the API or among its files. */
export function mayShowDocument(path: string): boolean {
  return !['/api', assets_path, '/ws'].some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Marks the routes of the web app: hapi's own errors become a failure of the platform there. */
const ours = { isSite: true };

function isOurs({ route }: Request): boolean {
  return (route.settings.app as Partial<typeof ours> | undefined)?.isSite === true;
}

function begun(request: Request): Outgoing {
  (request.raw.req as Incoming).route = request.route.path;
  return request.raw.res as Outgoing;
}

/**
 * Sends a file, compressed if the browser takes it. inert's own choice of a compressed copy needs hapi's compression, which would hold back
 * event streams.
 */
function fileOf(request: Request, h: ResponseToolkit, { folder, file }: { folder: string; file: string }): ResponseObject {
  const encoding = request.info.acceptEncoding;
  const ending = Object.hasOwn(compressed, encoding) ? compressed[encoding as keyof typeof compressed] : '';
  const response = h.file(join(folder, file + ending), { confine: folder, etagMethod: false });
  if (ending !== '') response.header('Content-Encoding', encoding);
  return response
    .type(typeOf(request, file))
    .vary('Accept-Encoding')
    .header('Cache-Control', `public, max-age=${forever_ms / 1000}, immutable`);
}

function typeOf({ server }: Request, file: string): string {
  const found = server.mime.path(file);
  return ('type' in found ? found.type : undefined) ?? 'application/octet-stream';
}

function missing(responder: Responder, { raw }: Request, h: ResponseToolkit): symbol {
  const res = raw.res as Outgoing;
  // Set for a document or a file before; a failure brings its own.
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  responder.failure(res, fail('not_found', 'Nothing is served under this path'));
  return h.abandon;
}
