import t from 'tap';
import { faultOf, isPrivateHost } from '../../../../extensions/notifications/channels/address.js';

const vendor = { vendor: 'feishu', allowed: isPrivateHost } as const;
const anywhere = { allowed: isPrivateHost };

t.test("accepts a vendor's own host over https for its webhooks only, and any other host but another vendor's", async (t) => {
  for (const url of [
    'https://open.feishu.cn/open-apis/bot/v2/hook/abc',
    'https://OPEN.larksuite.com/open-apis/bot/v2/hook/abc',
    'https://open.feishu.acme.example/open-apis/bot/v2/hook/abc',
    'https://gateway.example:8443/anything',
  ])
    t.equal(faultOf(url, vendor), undefined, url);
  const wrong = {
    'http://open.feishu.cn/open-apis/bot/v2/hook/abc': /must begin with https/,
    'http://gateway.example/hook': /must begin with https/,
    'https://open.feishu.cn:8443/open-apis/bot/v2/hook/abc': /must begin with https:\/\/open\.feishu\.cn\/open-apis\/bot\//,
    'https://open.feishu.cn/other': /must begin with https:\/\/open\.feishu\.cn\/open-apis\/bot\//,
    'https://open.feishu.cn/open-apis/bot/../other': /must begin with/,
    'https://hooks.slack.com/services/T0/B0/x': /an address of Slack/,
    'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x': /an address of WeCom/,
    'https://open.feishu.cn@evil.example/hook/abc': /user name/,
    'https://open.feishu.cn/open-apis/bot/abc#part': /after #/,
    'ftp://open.feishu.cn/open-apis/bot/abc': /must begin with https/,
    'javascript:alert(1)': /must begin with https/,
    'open.feishu.cn/open-apis/bot/abc': /not an address/,
    '': /not an address/,
  };
  for (const [url, fault] of Object.entries(wrong)) t.match(faultOf(url, vendor), fault, url);
  t.match(faultOf(`https://open.feishu.cn/open-apis/bot/${'x'.repeat(2_000)}`, vendor), /limit is 2000/);
});

t.test('a channel without a vendor accepts any host over https, and http in a private network', async (t) => {
  for (const url of ['https://a.example/x?y=z', 'https://203.0.113.7:8443/', 'http://10.0.0.8:3000/hook', 'http://build/hook'])
    t.equal(faultOf(url, anywhere), undefined, url);
  for (const url of ['http://a.example/', 'http://203.0.113.7/']) t.match(faultOf(url, anywhere), /must begin with https/, url);
});

t.test("an address on the premises is accepted in place of the vendor's", async (t) => {
  t.equal(faultOf('http://127.0.0.1:4000/anything', vendor), undefined);
  t.equal(faultOf('https://chat.lan/hooks/1', vendor), undefined);
  t.match(faultOf('http://chat.lan/hooks/1', { ...vendor, allowed: () => false }), /must begin with https/);
});

t.test('private networks are recognised by address and name', async (t) => {
  const inside =
    '10.1.2.3 172.16.0.1 172.31.255.255 192.168.9.9 127.0.0.1 [::1] [fd00::1] localhost a.localhost nas.local db.internal x.home.arpa PRINTER chat.lan.';
  for (const host of inside.split(' ')) t.ok(isPrivateHost(host), host);
  const outside = '8.8.8.8 172.32.0.1 192.169.0.1 [2606:4700::1111] a.example localhost.example internal.example lan.example';
  for (const host of outside.split(' ')) t.notOk(isPrivateHost(host), host);
});

t.test('a fault never repeats the address', async (t) => {
  for (const url of [
    'http://evil.example/hunter2',
    'hunter2',
    'https://u:hunter2@open.feishu.cn/',
    'https://open.feishu.cn/x#hunter2',
    'hunter2:x',
  ])
    t.notMatch(faultOf(url, vendor) ?? 'hunter2', /hunter2/, url);
});
