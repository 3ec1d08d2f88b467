import t from 'tap';
import { networkOf } from '../../../kernel/contract/index.js';

t.test('an IPv6 address is counted by its 64-bit network in any notation', async (t) => {
  for (const address of [
    '2001:db8:0:7::1',
    '2001:0DB8:0:7:1:2:3:4',
    '2001:db8::7:0:0:0:9',
    '2001:db8:0:7:1::',
    '2001:db8:0:7::192.0.2.1',
  ]) {
    t.equal(networkOf(address), '2001:db8:0:7::/64', address);
  }
  t.equal(networkOf('::1'), '0:0:0:0::/64');
  t.equal(networkOf('::'), '0:0:0:0::/64');
  t.equal(networkOf('1::'), '1:0:0:0::/64');
  t.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
  t.equal(networkOf('1:2:3:4:5:6:192.0.2.1'), '1:2:3:4::/64');
  t.not(networkOf('2001:db8:0:8::1'), networkOf('2001:db8:0:7::1'));
});

t.test('other addresses are counted as they are', async (t) => {
  for (const address of ['192.0.2.1', '', 'unknown', '2001:db8', '1:2:3:4:5:6:7:8:9', 'a::xyz', 'http://x'])
    t.equal(networkOf(address), address);
});
