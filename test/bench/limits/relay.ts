/** The limit of a reply's stream: the model's own bytes, handed on as they come. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

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
let cpu = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  process.send?.({ cpu_s: (user + system) / 1e6, memory_mb: process.resourceUsage().maxRSS / 1024 });
});
process.on('SIGTERM', () => process.exit(0));
