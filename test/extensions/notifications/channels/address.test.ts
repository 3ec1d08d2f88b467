import t from 'tap';
import { faultOf, isInside } from '../../../../extensions/notifications/channels/address.js';

const vendor = { hosts: ['hooks.example', 'hooks.other.example'], path: '/hook/', allowed: isInside };
const anywhere = { allowed: isInside };

t.test('of a vendor only its own hosts are taken, by https and where its webhooks are', async (t) => {
  t.equal(faultOf('https://hooks.example/hook/abc', vendor), undefined);
  t.equal(faultOf('https://HOOKS.other.example/hook/abc', vendor), undefined);
  const wrong = {
    'http://hooks.example/hook/abc': /must begin with https/,
    'https://hooks.example:8443/hook/abc': /its host must be hooks\.example or hooks\.other\.example/,
    'https://evil.example/hook/abc': /its host must be/,
    'https://hooks.example.evil.example/hook/abc': /its host must be/,
    'https://hooks.example@evil.example/hook/abc': /user name/,
    'https://hooks.example/other': /must begin with https:\/\/hooks\.example\/hook\//,
    'https://hooks.example/hook/../other': /must begin with/,
    'https://hooks.example/hook/abc#part': /after #/,
    'ftp://hooks.example/hook/abc': /must begin with https/,
    'javascript:alert(1)': /must begin with https/,
    'hooks.example/hook/abc': /not an address/,
    '': /not an address/,
  };
  for (const [url, fault] of Object.entries(wrong)) t.match(faultOf(url, vendor), fault, url);
  t.match(faultOf(`https://hooks.example/hook/${'x'.repeat(2_000)}`, vendor), /at most 2000/);
});

t.test('without a vendor any host is taken by https, and http within a private network', async (t) => {
  for (const url of ['https://a.example/x?y=z', 'https://203.0.113.7:8443/', 'http://10.0.0.8:3000/hook', 'http://build/hook'])
    t.equal(faultOf(url, anywhere), undefined, url);
  for (const url of ['http://a.example/', 'http://203.0.113.7/']) t.match(faultOf(url, anywhere), /must begin with https/, url);
});

t.test('a server on the premises may stand in for a vendor', async (t) => {
  t.equal(faultOf('http://127.0.0.1:4000/anything', vendor), undefined);
  t.equal(faultOf('https://chat.lan/hooks/1', vendor), undefined);
  t.match(faultOf('https://chat.lan/hooks/1', { ...vendor, allowed: () => false }), /its host must be/);
});

t.test('private networks are told by their addresses and by their names', async (t) => {
  const inside =
    '10.1.2.3 172.16.0.1 172.31.255.255 192.168.9.9 127.0.0.1 [::1] [fd00::1] localhost a.localhost nas.local db.internal x.home.arpa PRINTER chat.lan.';
  for (const host of inside.split(' ')) t.ok(isInside(host), host);
  const outside = '8.8.8.8 172.32.0.1 192.169.0.1 [2606:4700::1111] a.example localhost.example internal.example lan.example';
  for (const host of outside.split(' ')) t.notOk(isInside(host), host);
});

t.test('a fault never repeats the address', async (t) => {
  for (const url of [
    'https://evil.example/hunter2',
    'hunter2',
    'https://u:hunter2@hooks.example/',
    'https://hooks.example/x#hunter2',
    'hunter2:x',
  ])
    t.notMatch(faultOf(url, vendor) ?? 'hunter2', /hunter2/, url);
});
