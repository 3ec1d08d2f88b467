import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Request, ResponseToolkit, Server } from '@hapi/hapi';
import { fail } from '../../../contract/failure.js';
import { addFallbackRoute } from '../fallback.js';
import type { Outgoing } from '../incoming.js';
import type { Responder } from '../responder.js';

/** The page uses relative addresses, so that it works behind a proxy with a path prefix, and under any host name. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Platform API</title>
<link rel="icon" href="docs/ui/favicon-32x32.png">
<link rel="stylesheet" href="docs/ui/swagger-ui.css">
</head>
<body>
<div id="ui"></div>
<script src="docs/ui/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#ui',
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null
});
`;

/** Swagger UI needs inline styles and icons in data URLs; scripts come only from our own files. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Serves Swagger UI without external resources. */
export async function addDocsRoutes(
  server: Server,
  { responder, base_url }: { responder: Responder; base_url: string | undefined },
): Promise<void> {
  const { plugin: inert } = await import('@hapi/inert');
  await server.register(inert);
  server.ext('onRequest', ({ raw }, h) => {
    responder.prepare(raw.res as Outgoing);
    return h.continue;
  });
  server.ext('onPreResponse', (request, h) => ('isBoom' in request.response ? refuse(responder, request, h) : h.continue));
  const connect = `connect-src 'self'${base_url === undefined ? '' : ` ${new URL(base_url).origin}`}`;
  const security = [...policy, connect].join('; ');
  server.route([
    {
      method: 'GET',
      path: '/docs',
      handler: (_request, h) =>
        h.response(page).type('text/html').header('content-security-policy', security).header('cache-control', 'no-cache'),
    },
    { method: 'GET', path: '/docs/', handler: (_request, h) => h.redirect('.').header('cache-control', 'no-cache') },
    {
      method: 'GET',
      path: '/docs/start.js',
      handler: (_request, h) => h.response(start).type('text/javascript').header('cache-control', 'no-cache'),
    },
    {
      method: 'GET',
      path: '/docs/ui/{file*}',
      options: { cache: { expiresIn: 3_600_000, privacy: 'public' } },
      handler: { directory: directory() },
    },
  ]);
  addFallbackRoute(server, responder);
}

/** Answers errors of hapi and inert as a missing file. */
function refuse(responder: Responder, { raw }: Request, h: ResponseToolkit): symbol {
  responder.failure(raw.res as Outgoing, fail('not_found', 'Nothing is served under this path'));
  return h.abandon;
}

/** Returns the copy of Swagger UI that hapi-swagger depends on. */
function directory() {
  const swagger = createRequire(createRequire(import.meta.url).resolve('hapi-swagger'));
  return { path: dirname(swagger.resolve('swagger-ui-dist/package.json')), index: false, listing: false };
}
