import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Test } from 'tap';

/** Connects the official client with a token, until the end of the test. */
export async function connectMcp(t: Test, url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }) as Transport);
  t.teardown(() => client.close());
  return client;
}

/** Calls a tool and returns its answer, parsed. A failure is returned as its code. */
export async function useTool(client: Client, name: string, input: object = {}): Promise<unknown> {
  const result = (await client.callTool({ name, arguments: input as Record<string, unknown> })) as CallToolResult;
  if (result.isError) return result._meta?.code;
  const [part] = result.content;
  const text = part?.type === 'text' ? part.text : '';
  return text === 'Done.' ? undefined : JSON.parse(text);
}
