import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time between two words of an answer. */
const pace_ms = 4;

/**
 * Starts an OpenAI-compatible server that answers by rules. The first rule whose `when` fits the newest message of a person answers:
 * with `calls` of tools if there are any, then with `text`. A rule with `of` is for AI employees whose instructions fit it. A rule that
 * `holds` never ends its text, so that the reply stays running. `asked`, if given, gets the text of each request.
 */
export async function startModel(rules, { models = ['qwen3:32b', 'qwen3:8b', 'gpt-oss:20b'], asked } = {}) {
  const take = (request, response, body) => {
    if (request.url?.endsWith('/models')) return list(response, models);
    if (!request.url?.endsWith('/chat/completions')) return void response.writeHead(404).end();
    asked?.(body);
    return void answer(response, JSON.parse(body), rules).catch(() => response.destroy());
  };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => take(request, response, Buffer.concat(chunks).toString()));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close };
}

function list(response, models) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }));
}

async function answer(response, { messages, stream }, rules) {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const instructions = messages
    .filter(({ role }) => role === 'system')
    .map(textOf)
    .join(' ');
  const fits = ({ when, of }) => when.test(textOf(messages[last])) && (of === undefined || of.test(instructions));
  const rule = rules.find(fits) ?? { text: 'Done.' };
  const mayCall = rule.calls && !messages.slice(last).some(({ role }) => role === 'tool');
  if (!stream) return whole(response, rule.text);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice) => response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...choice })}\n\n`);
  const delta = (part, finish_reason = null) => send({ choices: [{ index: 0, delta: part, finish_reason }] });
  if (mayCall) {
    if (rule.thinks) delta({ reasoning_content: rule.thinks });
    await write(delta, rule.says ?? '');
    const calls = rule.calls.map(({ name, input }, index) => ({ index, name, input: JSON.stringify(input) }));
    for (const { index, name, input } of calls) {
      delta({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: input } }] });
    }
  } else {
    await write(delta, rule.text);
    if (rule.holds) return undefined;
  }
  delta({}, mayCall ? 'tool_calls' : 'stop');
  send({ choices: [], usage: { prompt_tokens: 1840, completion_tokens: 212, total_tokens: 2052 } });
  response.end('data: [DONE]\n\n');
  return undefined;
}

function whole(response, content) {
  response.writeHead(200, { 'content-type': 'application/json' });
  const usage = { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 };
  response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage }));
}

async function write(delta, text) {
  for (const word of text.match(/\s*\S+/g) ?? []) {
    delta({ content: word });
    await sleep(pace_ms);
  }
}

function textOf(message) {
  if (typeof message?.content === 'string') return message.content;
  return (message?.content ?? []).map(({ text = '' }) => text).join(' ');
}
