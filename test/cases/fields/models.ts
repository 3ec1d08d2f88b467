/** A model's call of a tool, through the MCP door or by an AI employee. `{member}` stands for an id. */
export interface CallCase {
  name: string;
  source: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  /** A part of what the model reads. */
  says: string;
  fails?: boolean;
}

const nulls = 'danny-avila/LibreChat#11905';
const unknown = 'modelcontextprotocol.io: tools, error handling';

/** Calls of the platform's operations, at both doors. */
export const operationCalls: readonly CallCase[] = [
  {
    name: 'a misspelt argument is refused with the nearest name',
    source: unknown,
    tool: 'members_list',
    input: { keyward: 'ada' },
    fails: true,
    says: 'Did you mean keyword?',
  },
  {
    name: 'optional arguments that are null count as missing',
    source: nulls,
    tool: 'members_list',
    input: { keyword: null, is_virtual: null, page: null, page_size: 5 },
    says: '"page_size":5',
  },
  {
    name: 'a required argument that is null is validated as null',
    source: 'NVIDIA/NeMo-Agent-Toolkit#1269',
    tool: 'members_get',
    input: { id: null },
    fails: true,
    says: 'must be a number',
  },
  {
    name: 'an unknown argument is rejected even if it is null',
    source: unknown,
    tool: 'members_list',
    input: { keyward: null },
    fails: true,
    says: 'unknown_field',
  },
  {
    name: "a read-only field of a model's call is rejected rather than ignored",
    source: 'google.aip.dev/203',
    tool: 'sessions_create',
    input: { title: 'x', created_by: 3 },
    fails: true,
    says: '"created_by" is unknown',
  },
];

/** Calls of tools that are no operations. */
export const ownToolCalls: readonly CallCase[] = [
  {
    name: 'a misspelt argument of a tool of its own is refused with the nearest name',
    source: unknown,
    tool: 'weigh',
    input: { grams: 1, unti: 'kg' },
    fails: true,
    says: 'Did you mean unit?',
  },
  {
    name: 'optional arguments that are null are removed for the tool, also within objects and lists',
    source: 'moltis-org/moltis#283',
    tool: 'weigh',
    input: { grams: 1, unit: null, box: { width: null, depth: 2 }, parts: [{ name: null }] },
    says: '{"grams":1,"box":{"depth":2},"parts":[{}]}',
  },
  {
    name: 'an argument that may be null keeps null',
    source: 'openclaw/openclaw#96729',
    tool: 'weigh',
    input: { grams: 1, note: null, tag: null },
    says: '{"grams":1,"note":null,"tag":null}',
  },
  {
    name: 'a tool that accepts any argument gets all of them',
    source: 'json-schema.org: draft 2020-12, additionalProperties',
    tool: 'open_tool',
    input: { anything: null, else: 1 },
    says: '{"anything":null,"else":1}',
  },
];
