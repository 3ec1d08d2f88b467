import { type CatalogRecord, type Context, type Extension, type ExtensionPages, mayAdminister } from '../../kernel/contract/index.js';
import type { OperationRoute, Start, StartPages, Web } from './contract.js';
import { documentOf, frameOf } from './document.js';
import { examples } from './examples.js';
import { type Address, modulesFor } from './modules.js';
import { operations } from './operations.js';

const extension: Extension<Web> = {
  activate(ctx: Context<Web>) {
    const prefix = ctx.baseUrl === undefined ? '' : new URL(ctx.baseUrl).pathname.replace(/\/+$/, '');
    const address = (extension: string, file: string) => `${prefix}/assets/${extension}/${file}`;
    // The files of this version, which also serve tabs that ask after a newer one has been built.
    const shell = () => ctx.pages().find((pages) => pages.extension === ctx.name)?.files ?? {};
    ctx.examples(examples);
    ctx.expose(operations, {
      async 'web.start'(_input, { caller }) {
        const [me, settings, catalog] = (await Promise.all([
          ctx.call('auth.me', {}),
          ctx.call('members.settings', {}),
          ctx.call('catalog.get', {}),
        ])) as [Start['me'], Start['settings'], CatalogRecord];
        const isAdmin = mayAdminister(caller);
        return {
          me: { id: me.id, username: me.username, nickname: me.nickname, role: me.role, scopes: me.scopes },
          settings: { language: settings.language, zone: settings.zone, theme: settings.theme },
          generation: catalog.generation,
          shell: address(ctx.name, shell().module ?? ''),
          pages: ctx.pages().flatMap((pages) => startPages(pages, { address, isAdmin })),
          panels: catalog.panels,
          operations: Object.fromEntries(Object.entries(catalog.operations).map(([id, operation]) => [id, routeOf(operation)])),
        };
      },
    });
    ctx.site({
      document: (visit) => documentOf(shell(), visit, modulesFor(visit.path, { shell: shell(), pages: ctx.pages(), address })),
      frame: (name, visit) => frameOf(shell(), name, visit),
    });
  },
};

export default extension;

/** Returns the pages of an extension that a member sees; none without a module of pages. */
function startPages(
  { extension, version, files: { module, style }, entries }: ExtensionPages,
  { address, isAdmin }: { address: Address; isAdmin: boolean },
): StartPages[] {
  if (module === undefined || extension === 'web') return [];
  const seen = entries.filter((entry) => isAdmin || entry.for === 'member');
  // None of its pages is for this member.
  if (seen.length === 0) return [];
  return [{ extension, version, module: address(extension, module), style: style ? address(extension, style) : null, entries: seen }];
}

function routeOf(operation: CatalogRecord['operations'][string]): OperationRoute {
  const { method, path, kind, query, raw, file_field, idempotent, progress, timeout_ms } = operation;
  return {
    method,
    path,
    kind,
    ...(query && { query }),
    ...(raw !== undefined && { raw }),
    ...(file_field !== undefined && { file_field }),
    ...(idempotent && { idempotent }),
    ...(progress && { progress }),
    ...(timeout_ms !== undefined && { timeout_ms }),
  };
}
