import { gzipSync } from 'node:zlib';
import type { Exchange, Script } from '../../helpers/model-server.js';
import { type Frames, hello, look, type RefusalRule, type ServerCase } from './case.js';

/** Answers as the case of each request's model says. */
export function serve(cases: ReadonlyMap<string, ServerCase>): Script {
  return (exchange) => {
    const found = cases.get(exchange.body.model);
    if (!found) return exchange.status(404, { message: `model '${exchange.body.model}' not found` });
    const rule = found.refuses?.find((each) => fits(each, exchange));
    if (rule) return refuse(rule, exchange);
    const wantsTool = exchange.body.messages.at(-1)?.role === 'user' && /use the tool/.test(JSON.stringify(exchange.body.messages.at(-1)));
    const mayCall = wantsTool && exchange.body.tools !== undefined;
    return send(mayCall ? (found.call ?? look) : (found.text ?? hello), exchange);
  };
}

function fits({ has, lacks, roles }: RefusalRule, { body }: Exchange): boolean {
  const json = JSON.stringify(body);
  const order = body.messages.map(({ role }) => role).join(',');
  return [
    has === undefined || new RegExp(has).test(json),
    lacks === undefined || !new RegExp(lacks).test(json),
    roles === undefined || new RegExp(roles).test(order),
  ].every(Boolean);
}

function refuse({ status = 400, body, type = 'application/json', headers = {} }: RefusalRule, exchange: Exchange): void {
  exchange.send(status, { 'content-type': type, ...headers }, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

/** An answer that is not asked to be streamed is one JSON object, unless the case is about its frames. */
function send(frames: Frames, exchange: Exchange): void {
  const { type = 'text/event-stream', status = 200, events, before = 'data: ', after = '\n\n', start = '', done = true } = frames;
  if (exchange.body.stream === false && before === 'data: ') {
    exchange.send(status, { 'content-type': 'application/json' }, together(frames));
    return;
  }
  const texts = events.map((event) => (typeof event === 'string' ? event : `${before}${JSON.stringify(event)}${after}`));
  const body = `${start}${texts.join('')}${done ? `${before}[DONE]${after}` : ''}`;
  const bytes = Buffer.from(body, frames.encoding === 'latin1' ? 'latin1' : 'utf8');
  const headers = { 'content-type': type, ...(frames.encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {}) };
  exchange.send(status, headers, frames.encoding === 'gzip' ? gzipSync(bytes) : bytes, frames);
}

interface Part {
  choices?: { delta?: { content?: string; tool_calls?: object[] }; finish_reason?: string | null }[];
}

/** The pieces of a streamed answer as one. */
function together({ events }: Frames): Buffer {
  const choices = events.flatMap((event) => (typeof event === 'string' ? [] : ((event as Part).choices ?? [])));
  const tool_calls = choices.flatMap(({ delta }) => delta?.tool_calls ?? []);
  const message = {
    role: 'assistant',
    content: choices.map(({ delta }) => delta?.content ?? '').join('') || null,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  const finish_reason = choices.findLast((choice) => choice.finish_reason)?.finish_reason ?? 'stop';
  return Buffer.from(JSON.stringify({ id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] }));
}
