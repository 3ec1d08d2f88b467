import type { Log } from '../../../contract/extension.js';
import type { Subject } from '../../../contract/operation.js';
import type { Catalog } from '../../../core/catalog/catalog.js';
import type { Cell } from '../../../core/catalog/cell.js';
import { HapiCell } from '../cell.js';
import type { Described } from './describe.js';
import type { OpenApi, OperationObject } from './openapi.js';

const socketPath = '/ws';

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
    const [{ systemPaths, systemSchemas, systemSubjects }, { introduction }] = await Promise.all([
      import('./system.js'),
      import('./introduction.js'),
    ]);
    const { version, base_url } = this.#options;
    const document: OpenApi = {
      openapi: '3.0.3',
      info: {
        title: 'Platform',
        version,
        description: introduction(base_url),
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: this.#servers(),
      tags: [],
      security: [{ jwt: [] }],
      paths: { ...systemPaths },
      components: { schemas: { ...systemSchemas }, securitySchemes: { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    };
    const subjects = [...systemSubjects];
    for (const cell of cells) {
      const described = await this.#describe(cell);
      add(document, described);
      subjects.push(...described.subjects);
    }
    document.tags = tagsOf(subjects);
    await addFrames(document, cells);
    return document;
  }

  /** Returns the servers, the relative one first, so that the page works under any host name. */
  #servers(): OpenApi['servers'] {
    const { base_url } = this.#options;
    return base_url === undefined ? [{ url: '/' }] : [{ url: '/' }, { url: base_url }];
  }

  async #describe(cell: HapiCell): Promise<Described> {
    const made = this.#described.get(cell) ?? describeCell(cell, this.#subject(cell));
    this.#described.set(cell, made);
    try {
      return await made;
    } catch (fault) {
      // The other extensions are still documented.
      this.#options.log.error(`Extension '${cell.extension}' could not be documented`, { fault });
      return { paths: {}, schemas: {}, subjects: [] };
    }
  }

  /** Returns an extension as a subject. A third party's has its id beside the name: names are not unique. */
  #subject({ extension }: HapiCell): Subject {
    const record = this.#catalog?.extensions.get(extension);
    if (!record) return { name: extension, description: '' };
    const { name, description } = record.manifest;
    return { name: record.builtin ? name : `${name} (${extension})`, description };
  }
}

/** Describes an extension, given as the subject of whatever names no other. */
async function describeCell(cell: HapiCell, itself: Subject): Promise<Described> {
  const [{ describe }, { describeDoors }] = await Promise.all([import('./describe.js'), import('./doors.js')]);
  const { paths, schemas, subjects } = await describe(await cell.server(), cell, itself);
  const doors = describeDoors(cell.doors, itself);
  for (const [path, methods] of Object.entries(doors.paths)) paths[path] = { ...paths[path], ...methods };
  return { paths, schemas, subjects: [...subjects, ...doors.subjects] };
}

/** Adds the frames of `/ws` to its description: those of the kernel and of all extensions. */
async function addFrames({ paths }: OpenApi, cells: readonly HapiCell[]): Promise<void> {
  const { frameTables, framesOf, kernelFrames } = await import('./frames.js');
  const all = [kernelFrames(), ...cells.flatMap(({ socket }) => (socket ? framesOf(socket) : []))];
  const frames = {
    sent: Object.assign({}, ...all.map(({ sent }) => sent)),
    taken: Object.assign({}, ...all.map(({ taken }) => taken)),
    topics: Object.assign({}, ...all.map(({ topics }) => topics)),
  };
  const { get } = paths[socketPath] as { get: OperationObject };
  paths[socketPath] = { get: { ...get, description: `${get.description}\n\n${frameTables(frames)}`, 'x-frames': frames } };
}

/** Returns each subject once, by name. */
function tagsOf(subjects: readonly Subject[]): OpenApi['tags'] {
  const byName = new Map(subjects.map(({ name, description }) => [name, { name, description }]));
  return [...byName.values()].sort((one, other) => one.name.localeCompare(other.name, 'en'));
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
