import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A model's server whose replies all last equally long. */
export interface Model {
  url: string;
  stop: () => Promise<void>;
}

/** Pieces a second, as a quick model writes them. */
const per_second = 25;

/** A reply as models write them: paragraphs, a list, a table and code. */
const paragraph =
  'The **second** figure depends on the first one, so measure `both` before you decide, and write down what you find. ' +
  'A [link](https://example.org/page) leads to the details.\n\n';
const parts = [
  paragraph,
  paragraph,
  '- one item of a list\n- another, with *emphasis*\n- and a third one\n\n',
  paragraph,
  '| Name | Size |\n| --- | --- |\n| first | 10 |\n| second | 20 |\n\n',
  paragraph,
  '```ts\nexport const answer = (question: string) => question.length;\n```\n\n',
];

/** Starts a model whose replies take so many seconds. */
export async function startModel(seconds: number): Promise<Model> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      void write(response, seconds * per_second);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, stop };
}

async function write(response: ServerResponse, pieces: number): Promise<void> {
  const words = wordsOf();
  for (let n = 0; n < pieces && !response.destroyed; n += 1) {
    response.write(chunk({ content: words.next().value as string }, null));
    await sleep(1_000 / per_second);
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

/** Yields the words of a reply without an end, with the spaces after them. */
function* wordsOf(): Generator<string, never> {
  for (let n = 0; ; n += 1) yield* (parts[n % parts.length] as string).match(/\S+\s*/g) ?? [];
}

function chunk(delta: object, finish_reason: string | null): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}
