import type { Log } from '../../../contract/extension.js';
import type { Catalog } from '../../../core/catalog/catalog.js';
import type { Cell } from '../../../core/catalog/cell.js';
import { HapiCell } from '../cell.js';
import type { Described } from './describe.js';
import type { OpenApi } from './openapi.js';

const description =
  'The API of a work platform for people and AI employees. Each response has its request id in the header `X-Request-Id`, ' +
  'and the name of the instance that sent it in `X-Instance`.';

export interface DocsOptions {
  version: string;
  base_url: string | undefined;
  log: Log;
}

/**
 * Builds the OpenAPI document of the loaded extensions. An extension is described at the first request after a
 * change, never during a replacement: it blocks the event loop for 0.4 ms a route.
 */
export class Docs {
  readonly #options: DocsOptions;
  readonly #described = new WeakMap<HapiCell, Promise<Described>>();
  #catalog: Catalog<Cell> | undefined;
  #text: Promise<string> | undefined;

  constructor(options: DocsOptions) {
    this.#options = options;
  }

  publish(catalog: Catalog<Cell>): void {
    this.#catalog = catalog;
    this.#text = undefined;
  }

  /** Returns the document as JSON. */
  text(): Promise<string> {
    this.#text ??= this.#merge(cellsOf(this.#catalog)).then((document) => JSON.stringify(document));
    return this.#text;
  }

  async #merge(cells: readonly HapiCell[]): Promise<OpenApi> {
    const { systemPaths, systemSchemas } = await import('./system.js');
    const document: OpenApi = {
      openapi: '3.0.3',
      info: { title: 'Platform', version: this.#options.version, description },
      servers: this.#servers(),
      tags: [],
      security: [{ jwt: [] }],
      paths: { ...systemPaths },
      components: { schemas: { ...systemSchemas }, securitySchemes: { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    };
    for (const cell of cells) add(document, await this.#describe(cell));
    document.tags = this.#tags(document);
    return document;
  }

  /** Returns the servers, the relative one first, so that the page works under any host name. */
  #servers(): OpenApi['servers'] {
    const { base_url } = this.#options;
    return base_url === undefined ? [{ url: '/' }] : [{ url: '/' }, { url: base_url }];
  }

  #tags({ paths }: OpenApi): OpenApi['tags'] {
    const used = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags = [] }) => tags));
    return [...new Set(used)].sort().map((name) => {
      const description = this.#catalog?.extensions.get(name)?.manifest.description;
      return description === undefined ? { name } : { name, description };
    });
  }

  async #describe(cell: HapiCell): Promise<Described> {
    const made = this.#described.get(cell) ?? describeCell(cell);
    this.#described.set(cell, made);
    try {
      return await made;
    } catch (fault) {
      // The other extensions are still documented.
      this.#options.log.error(`Extension '${cell.extension}' could not be documented`, { fault });
      return { paths: {}, schemas: {} };
    }
  }
}

async function describeCell(cell: HapiCell): Promise<Described> {
  const [{ describe }, { describeDoors }] = await Promise.all([import('./describe.js'), import('./doors.js')]);
  const { paths, schemas } = await describe(await cell.server(), cell);
  for (const [path, methods] of Object.entries(describeDoors(cell.doors))) paths[path] = { ...paths[path], ...methods };
  return { paths, schemas };
}

/** Merges an extension's part. Two extensions may serve different methods of one path if one's claim is inside the other's. */
function add(document: OpenApi, { paths, schemas }: Described): void {
  for (const [path, methods] of Object.entries(paths)) document.paths[path] = { ...document.paths[path], ...methods };
  Object.assign(document.components.schemas, schemas);
}

function cellsOf(catalog: Catalog<Cell> | undefined): HapiCell[] {
  const targets = [...(catalog?.claims.values() ?? [])];
  const cells = targets.flatMap((target) => (target.kind === 'cell' && target.cell instanceof HapiCell ? [target.cell] : []));
  return [...new Set(cells)].sort((a, b) => (a.extension < b.extension ? -1 : 1));
}
