import t from 'tap';
import { ClientAddress, isLoopback } from '../../../../kernel/platform/http/address.js';

t.test('the header is ignored without trusted proxies', async (t) => {
  const address = new ClientAddress([]);
  t.equal(address.of('10.0.0.1', '1.2.3.4'), '10.0.0.1');
  t.equal(address.of('::ffff:10.0.0.1', undefined), '10.0.0.1');
  t.equal(address.of(undefined, undefined), '');
});

t.test('the header is used as far as trusted proxies wrote it', async (t) => {
  const address = new ClientAddress(['10.0.0.0/8', '192.168.1.1', 'fd00::/8']);
  t.equal(address.of('10.0.0.1', '1.2.3.4'), '1.2.3.4');
  t.equal(address.of('10.0.0.1', '6.6.6.6, 1.2.3.4'), '1.2.3.4', "the client's own entry is not trusted");
  t.equal(address.of('10.0.0.1', '1.2.3.4, 192.168.1.1, 10.9.9.9'), '1.2.3.4', 'the address comes through several proxies');
  t.equal(address.of('8.8.8.8', '1.2.3.4'), '8.8.8.8', 'the peer is not a trusted proxy');
  t.equal(address.of('::ffff:10.0.0.1', '::ffff:1.2.3.4'), '1.2.3.4');
  for (const spelled of ['::ffff:102:304', '0:0:0:0:0:ffff:102:304', '0::FFFF:1.2.3.4', '[::ffff:102:304]:443', '::ffff:102:304%eth0'])
    t.equal(address.of('10.0.0.1', spelled), '1.2.3.4', spelled);
  t.equal(address.of('10.0.0.1', '1.2.3.4, ::ffff:a09:909'), '1.2.3.4', 'a proxy in another notation is trusted too');
  for (const other of ['2001:db8::ffff:102:304', '::ffff:1']) t.equal(address.of('10.0.0.1', other), other);
  t.equal(address.of('fd00::1', '[2001:db8::1]:443'), '2001:db8::1');
  t.equal(address.of('10.0.0.1', '1.2.3.4:5678'), '1.2.3.4');
  t.equal(address.of('10.0.0.1', 'unknown, <script>'), '10.0.0.1', 'an invalid address ends the chain');
  t.equal(address.of('10.0.0.1', '10.0.0.2'), '10.0.0.2', 'a chain of proxies only');
});

t.test('loopback is recognised in every spelling', async (t) => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']) t.ok(isLoopback(address), address);
  for (const address of ['10.0.0.1', '::2', '', undefined]) t.notOk(isLoopback(address), `${address}`);
});

t.test('the scheme is https only if a trusted proxy says so', async (t) => {
  const address = new ClientAddress(['10.0.0.0/8']);
  t.equal(address.scheme('10.0.0.1', 'https'), 'https');
  t.equal(address.scheme('::ffff:10.0.0.1', ' HTTPS'), 'https');
  t.equal(address.scheme('10.0.0.1', 'http, https'), 'https', 'the nearest proxy decides');
  t.equal(address.scheme('10.0.0.1', 'https, http'), 'http');
  for (const forwarded of ['http', '', 'https:', undefined]) t.equal(address.scheme('10.0.0.1', forwarded), 'http', `${forwarded}`);
  t.equal(address.scheme('8.8.8.8', 'https'), 'http');
  t.equal(new ClientAddress([]).scheme('10.0.0.1', 'https'), 'http');
});
