import { nearestName } from '../kernel/contract/nearest.js';
import { masked as mask, withoutCredentials } from './credentials.js';
import type { SettingType } from './types.js';

/** A Model Context Protocol server whose tools AI employees may use: a program to start, or an address. */
export type McpServer = { name: string; tools: 'all' | readonly string[]; read_only: readonly string[]; dangerous: readonly string[] } & (
  | { command: string; args: readonly string[]; env: Readonly<Record<string, string>> }
  | { url: string; headers: Readonly<Record<string, string>> }
);

type Found = Readonly<Record<string, unknown>>;
type Check = readonly [wanted: string, accepts: (value: unknown) => boolean];

const max_servers = 32;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isRecord = (value: unknown): value is Found => typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextRecord = (value: unknown) => isRecord(value) && Object.values(value).every((item) => typeof item === 'string');

const common: Readonly<Record<string, Check>> = {
  name: ['1 to 32 of a-z 0-9 -', (value) => isText(value) && /^[a-z0-9][a-z0-9-]{0,31}$/.test(value)],
  tools: ['"all" or a list of its tools', (value) => value === undefined || value === 'all' || isTexts(value)],
  read_only: ['a list of its tools', (value) => value === undefined || isTexts(value)],
  dangerous: ['a list of its tools', (value) => value === undefined || isTexts(value)],
};
const program: Readonly<Record<string, Check>> = {
  ...common,
  command: ['a program', isText],
  args: ['a list of texts', (value) => value === undefined || isTexts(value)],
  env: ['texts by name', (value) => value === undefined || isTextRecord(value)],
};
const remote: Readonly<Record<string, Check>> = {
  ...common,
  url: ['an address that starts with http:// or https://, without a user name or password (headers take those)', isAddress],
  headers: ['texts by name', (value) => value === undefined || isTextRecord(value)],
};

/** Type of the list of MCP servers. In the environment it is JSON. */
export const mcpServers: SettingType<readonly McpServer[]> = {
  expected: 'a list of MCP servers, each with its name and a command or a url',
  read(found) {
    const servers = parseJson(found);
    return faultsOf(servers).length === 0 ? (servers as Found[]).map(complete) : undefined;
  },
  explain: (found) => faultsOf(parseJson(found)),
  masked: (servers) => servers.map(masked),
};

/** Returns whether a value is an HTTP address without credentials: `fetch` rejects addresses with them. */
function isAddress(value: unknown): boolean {
  if (!isText(value) || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

function parseJson(found: unknown): unknown {
  if (typeof found !== 'string') return found;
  try {
    return JSON.parse(found);
  } catch {
    return undefined;
  }
}

/** Returns all faults, without the values: they may be secrets. */
function faultsOf(servers: unknown): string[] {
  if (!Array.isArray(servers)) return ['expected a list'];
  if (servers.length > max_servers) return [`expected at most ${max_servers} servers`];
  const names = servers.map((server: unknown) => (isRecord(server) ? server.name : undefined));
  const repeated = names.filter((name, at) => name !== undefined && names.indexOf(name) !== at);
  return [...servers.flatMap(serverFaults), ...repeated.map((name) => `two servers have the name ${JSON.stringify(name)}`)];
}

function serverFaults(server: unknown, at: number): string[] {
  if (!isRecord(server)) return [`[${at}]: expected an object`];
  const unknownTo = (known: object) =>
    Object.keys(server)
      .filter((key) => !Object.hasOwn(known, key))
      .map((key) => `[${at}].${key.slice(0, 40)} is not a setting of such a server${hintFor(key, Object.keys(known))}`);
  if ('command' in server === 'url' in server)
    return [`[${at}]: expected either a command or a url`, ...unknownTo({ ...program, ...remote })];
  const checks = 'command' in server ? program : remote;
  const wrong = Object.entries(checks).filter(([key, [, accepts]]) => !accepts(server[key]));
  return [...wrong.map(([key, [wanted]]) => `[${at}].${key}: expected ${wanted}`), ...unknownTo(checks)];
}

function hintFor(key: string, known: readonly string[]): string {
  const near = nearestName(key, known);
  return near === undefined ? '' : `. Did you mean ${near}?`;
}

function complete(server: Found): McpServer {
  const defaults = { tools: 'all', read_only: [], dangerous: [] };
  const own = 'command' in server ? { args: [], env: {} } : { headers: {} };
  return { ...defaults, ...own, ...server } as unknown as McpServer;
}

function masked(server: McpServer): object {
  const maskValues = (values: object) => Object.fromEntries(Object.keys(values).map((key) => [key, mask]));
  if ('url' in server) return { ...server, url: withoutCredentials(server.url), headers: maskValues(server.headers) };
  return { ...server, args: server.args.length === 0 ? [] : [mask], env: maskValues(server.env) };
}
