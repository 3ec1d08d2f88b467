import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import t, { type Test } from 'tap';
import { readDocument } from '../operations/openapi/document.js';
import { jsonSchema } from '../operations/openapi/shape.js';
import { type Asker, Side } from '../operations/side.js';
import { type Row, table } from '../operations/table.js';

/** The validator of the official MCP client: formats count, patterns are read as Unicode. */
const validator = new AjvJsonSchemaValidator();

interface Use {
  id: string;
  row: Row;
  asker: Asker;
}

/** Every use of an operation that succeeds with a JSON answer. */
function usesOf({ operations }: Side): Use[] {
  return Object.entries(table).flatMap(([id, { success }]) => {
    const operation = operations[id];
    // The tests' own extension refuses what it is asked a second time.
    if (operation?.kind !== 'call' || operation.answer === undefined || id.startsWith('hello.')) return [];
    return success.map((row) => ({ id, row, asker: row.asker ?? (operation.who === 'admin' ? 'admin' : 'ada') }));
  });
}

const inputOf = ({ input }: Row, side: Side) => (typeof input === 'function' ? input(side) : input);

t.test('each answer matches its JSON Schema and the OpenAPI document, checked with formats', async (t) => {
  const side = await Side.start(t, 'http');
  const documented = new Map((await readDocument(side.platform.url)).map((endpoint) => [endpoint.id, endpoint]));
  for (const { id, row, asker } of usesOf(side)) {
    // A row that logs out ends his token.
    if (asker === 'bob') await side.logIn('bob', 'bob');
    if (row.status === 204) continue;
    const body = await side.give<unknown>(id, await inputOf(row, side), asker);
    const status = row.status ?? side.operations[id]?.status ?? 200;
    const published = documented.get(id)?.answers.get(status)?.schema;
    const own = validator.getValidator(side.operations[id]?.answer as never)(body);
    const open = published && validator.getValidator(jsonSchema(published) as never)(body);
    t.equal(own.errorMessage, undefined, `${id}: ${row.name}`);
    t.equal(open?.errorMessage, undefined, `${id} in the document: ${row.name}`);
    t.ok(open, `${id} is documented with ${status}`);
  }
});

async function connect(t: Test, { platform, tokens }: Side, asker: Asker): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${tokens.get(asker)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${platform.url}/api/mcp`), { requestInit }) as Transport);
  t.teardown(() => client.close());
  // From here on the client holds answers to their schemas.
  await client.listTools();
  return client;
}

t.test('the official MCP client accepts the results of every tool', async (t) => {
  const side = await Side.start(t, 'http');
  const clients = new Map<Asker, Client>();
  const offered = new Set<string>();
  for (const { id, row, asker } of usesOf(side).filter(({ id }) => side.operations[id]?.tool)) {
    const client = clients.get(asker) ?? (await connect(t, side, asker));
    clients.set(asker, client);
    const input = (await inputOf(row, side)) as Record<string, unknown>;
    const result = (await client.callTool({ name: id.replaceAll('.', '_'), arguments: input })) as CallToolResult;
    t.notOk(result.isError, `${id}: ${row.name}: ${JSON.stringify(result.content).slice(0, 300)}`);
    offered.add(id);
  }
  const { tools } = await (clients.get('admin') as Client).listTools();
  for (const { title = '' } of tools)
    if (!offered.has(title)) t.comment(`${title} is shown elsewhere: ${table[title]?.elsewhere?.test ?? 'it answers nothing'}`);
});
