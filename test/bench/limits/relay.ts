/** The limit of a reply's stream: the model's own bytes, handed on as they come. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tellFigures } from './figures.js';

const [model = ''] = process.argv.slice(2);

const server = createServer((asked, response) => {
  const upstream = request(`${model}/chat/completions`, { method: 'POST', agent: false }, (answer) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    answer.pipe(response);
  });
  asked.resume();
  upstream.end('{}');
});
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
tellFigures();
