import t from 'tap';
import { direct } from '../../../kernel/client/direct.js';
import { http } from '../../../kernel/client/http.js';
import type { Transport } from '../../../kernel/client/transport.js';
import { isFailure, type OperationData } from '../../../kernel/contract/index.js';
import { until } from '../../helpers/eventually.js';
import { connectMcp } from '../../helpers/mcp-client.js';
import { callTools, say } from '../../helpers/model-server.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { connect } from '../../kernel/platform/http/socket/client.js';
import { upload } from '../chat/files/uploads.js';
import { png } from '../chat/pictures.js';
import { administrator, converse, onEachPlatform, type PlatformClient, someone, type World } from '../chat/world.js';

type Found = [id: string, operation: OperationData];

const belongings = ['session_id', 'message_id', 'task_id', 'hash', 'file_id'];

/** The operations that members may ask for something that belongs to one of them. */
function operationsOn(platform: TestPlatform): Found[] {
  return Object.entries(platform.kernel.operations()).filter(([, { who, path, input }]) => {
    const keys = Object.keys((input as { properties?: object }).properties ?? {});
    return who === 'member' && (path.startsWith('/api/approvals/{') || keys.some((key) => belongings.includes(key)));
  });
}

interface Belongings {
  /** Inputs that name each of them, and the other fields that these operations need. */
  input: Record<string, unknown>;
  client: PlatformClient;
}

/** A session with an image and a file, and with a task that waits for an approval. */
async function belongingsOf(client: PlatformClient, platform: TestPlatform, { model }: World): Promise<Belongings> {
  const { id: member_id } = await administrator(platform).members.create_virtual({ name: 'Careful', mode: 'supervised' });
  model.script(callTools([{ name: 'members_list' }]), say('Listed.'));
  const image = `data:image/png;base64,${png().toString('base64')}`;
  const { id: file_id } = await upload(client, 'secret.png', png());
  const message = { content: 'A secret', images: [image], files: [file_id], target_id: member_id };
  const { session_id, message_id, task_id } = await client.chat.send(message);
  const [approval] = await until(
    () => client.approvals.list({ status: 'pending', limit: 1, offset: 0 }),
    ({ length }) => length === 1,
  );
  const { images } = await client.messages.get({ message_id });
  const hash = images[0]?.url.slice(-64);
  const rest = {
    member_id,
    id: approval?.id,
    decision: 'deny',
    q: 'secret',
    content: 'Mine',
    prompt: 'Tell',
    emoji: '👍',
    reason: 'helpful',
  };
  return { client, input: { session_id, message_id, task_id, hash, file_id, ...rest } };
}

/** Picks the fields that an operation takes. */
function inputOf([, { input }]: Found, given: object): object {
  const { properties = {} } = input as { properties?: object };
  return Object.fromEntries(Object.entries(given).filter(([key]) => Object.hasOwn(properties, key)));
}

/** Outcome of an operation: the status and code of its failure, or its answer. */
async function outcomeBy(transport: Transport, found: Found, given: object): Promise<string> {
  const [id, operation] = found;
  const request = { id, operation, input: inputOf(found, given), options: {} };
  try {
    if (operation.kind === 'stream') for await (const { type } of transport.stream(request)) return `gave ${type}`;
    else return `gave ${(await transport.call(request)).status}`;
    return 'ended';
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    return `${fault.status} ${fault.code}`;
  }
}

const toolName = ([id]: Found) => id.replaceAll('.', '_');
const isTool = ([, { tool, dangerous }]: Found) => tool === true && !dangerous;
const isClientTool = ([, { tool, mcp }]: Found) => tool === true || mcp === true;

t.test("another member's session, message, task, image, file, stream and approval are not found through any door", async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform, model } = world;
    const [ada, eve] = [await someone(t, platform), await someone(t, platform)];
    const { input, client } = await belongingsOf(ada.http, platform, world);
    const operations = operationsOn(platform);
    t.ok(operations.length >= 18, `${operations.length} operations`);

    const caller = await platform.kernel.tokenCaller(eve.token, 'direct');
    const overHttp = http({ url: platform.url, token: eve.token });
    t.teardown(() => overHttp.close());
    const ways = { http: overHttp, 'in process': direct(platform.kernel, caller), 'an administrator': direct(platform.kernel) };
    for (const [way, transport] of Object.entries(ways))
      for (const each of operations) t.match(await outcomeBy(transport, each, input), /^404 \w+_not_found$/, `${each[0]}, ${way}`);

    const clientTools = operations.filter(isClientTool);
    t.ok(clientTools.length >= 15, `${clientTools.length} tools for MCP clients`);
    const mcp = await connectMcp(t, platform.url, eve.token);
    for (const each of clientTools) {
      const answer = await mcp.callTool({ name: toolName(each), arguments: inputOf(each, input) as Record<string, unknown> });
      t.match(answer, { isError: true, _meta: { code: /_not_found$/ } }, `${each[0]}, MCP`);
    }
    await mcp.close();

    const tools = operations.filter(isTool);
    t.ok(tools.length >= 3, `${tools.length} tools`);
    const { id: target_id } = await administrator(platform).members.create_virtual({ name: 'Bold', mode: 'autonomous' });
    const own = await eve.http.sessions.create({ title: '', target_type: 'ai', target_id });
    model.script(callTools(tools.map((each) => ({ name: toolName(each), arguments: inputOf(each, input) }))), say('Nothing.'));
    const { reply } = await converse(eve.http, "Read ada's", own.id);
    const errors = reply.tool_calls.map(({ output, error }) => output ?? error);
    t.equal(errors.length, tools.length);
    for (const error of errors) t.match(error, /_not_found/, "a stranger's AI employee finds nothing");

    const socket = await connect(t, platform.url, eve);
    for (const type of ['read', 'typing']) {
      socket.send({ type, data: { session_id: input.session_id, state: 'start' }, id: type });
      t.match((await socket.next('error')).data, { code: 'session_not_found', statusCode: 404 }, `${type}, socket`);
    }

    const [approval] = await client.approvals.list({ status: 'pending', limit: 10, offset: 0 });
    t.equal(approval?.id, input.id, 'nothing has changed');
    t.equal((await client.messages.list({ session_id: input.session_id as string, limit: 10 })).length, 2);
    const owner = direct(platform.kernel, await platform.kernel.tokenCaller(ada.token, 'direct'));
    for (const each of operations.filter(([, { method }]) => method === 'GET'))
      t.match(await outcomeBy(owner, each, input), /^gave /, `${each[0]}, its owner`);
    await client.chat.abort({ message_id: input.message_id as string });
  });
});
