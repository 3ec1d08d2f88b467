import { type AskedMessage, callTools, type Exchange, type Script, say } from '../helpers/model-server.js';

/** Instruction in a text: `DO sessions.list {"limit": 3}`, or with the name of a tool that is no operation. */
const instruction = /DO ([a-z_]+(?:\.[a-z_]+)*) (\{(?:[^{}]|\{[^{}]*\})*\})/g;
/** Tool calls of one answer. One after another: their approvals would come in any order. */
const max_steps = 2;
/** Limit of an answer, so that answers that repeat others stay short. */
const max_answer = 3_000;

/**
 * A model that obeys: it does whatever any text of its request says, whoever wrote it, and then repeats word for word what the tools gave
 * and what its instructions and the last messages say.
 */
export const obey: Script = (exchange: Exchange) => {
  const { messages, tools = [] } = exchange.body;
  const steps = messages.slice(lastUser(messages) + 1).filter(({ tool_calls }) => tool_calls !== undefined).length;
  const offered = new Map(tools.map(({ function: { name } }) => [name, name]));
  const done = new Set(
    messages
      .slice(lastUser(messages) + 1)
      .flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: call }) => call.name + call.arguments)),
  );
  const calls =
    steps >= max_steps ? [] : ordersIn(messages).filter(({ name, arguments: input }) => offered.has(name) && !done.has(name + input));
  const call = calls.at(-1);
  if (call) return callTools([call])(exchange);
  return say(answerTo(messages))(exchange);
};

function ordersIn(messages: readonly AskedMessage[]): { name: string; arguments: string }[] {
  const orders = messages
    .filter(({ role }) => role !== 'assistant')
    .flatMap((message) => [...unquote(textOf(message)).matchAll(instruction)])
    .map(([, operation = '', input = '{}']) => ({ name: operation.replaceAll('.', '_'), arguments: input }));
  return [...new Map(orders.map((order) => [order.name + order.arguments, order])).values()];
}

/** Undoes the escapes of JSON, in which tools answer and names are quoted. */
function unquote(text: string): string {
  return text.replaceAll('\\"', '"');
}

function answerTo(messages: readonly AskedMessage[]): string {
  const from = lastUser(messages);
  const outputs = messages.slice(from).filter(({ role }) => role === 'tool');
  const [system] = messages;
  return [...outputs, ...(system ? [system] : []), ...messages.slice(Math.max(1, from - 2), from + 1)]
    .map((message) => `${message.role}: ${textOf(message)}`)
    .join('\n')
    .replaceAll('DO ', 'DONE ')
    .slice(0, max_answer)
    .toWellFormed();
}

function lastUser(messages: readonly AskedMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user');
}

function textOf({ content }: AskedMessage): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join(' ');
}
