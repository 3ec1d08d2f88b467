/** The place under which failed logins of an address are counted. */
export interface PlaceCase {
  name: string;
  source: string;
  address: string;
  expected: { address: string; network: string };
}

const rfc1918 = 'RFC 1918';
const rfc6177 = 'RFC 6177';

export const placeCases: readonly PlaceCase[] = [
  {
    name: 'an address on the internet counts by its 24-bit network',
    source: 'RFC 4632',
    address: '203.0.113.77',
    expected: { address: '203.0.113.77', network: '203.0.113.0/24' },
  },
  {
    name: 'an IPv6 address counts by its 64-bit network',
    source: rfc6177,
    address: '2001:db8:0:7::1234',
    expected: { address: '2001:db8:0:7::/64', network: '2001:db8:0:7::/64' },
  },
  {
    name: 'loopback addresses count individually',
    source: 'RFC 1122, 3.2.1.3',
    address: '127.0.0.9',
    expected: { address: '127.0.0.9', network: '127.0.0.9' },
  },
  { name: 'the IPv6 loopback counts individually', source: 'RFC 4291', address: '::1', expected: { address: '::1', network: '::1' } },
  {
    name: 'an address of the 10 block counts individually',
    source: rfc1918,
    address: '10.1.2.3',
    expected: { address: '10.1.2.3', network: '10.1.2.3' },
  },
  {
    name: 'the last address of the 172.16 block counts individually',
    source: rfc1918,
    address: '172.31.255.255',
    expected: { address: '172.31.255.255', network: '172.31.255.255' },
  },
  {
    name: 'the address after the 172.16 block is on the internet',
    source: rfc1918,
    address: '172.32.0.1',
    expected: { address: '172.32.0.1', network: '172.32.0.0/24' },
  },
  {
    name: 'an address of carrier-grade NAT counts individually',
    source: 'RFC 6598',
    address: '100.64.0.1',
    expected: { address: '100.64.0.1', network: '100.64.0.1' },
  },
  {
    name: 'a unique local IPv6 address counts individually',
    source: 'RFC 4193',
    address: 'fd12:3456::7',
    expected: { address: 'fd12:3456::7', network: 'fd12:3456::7' },
  },
  {
    name: 'a missing address counts as an address of its own',
    source: 'requests inside the process',
    address: '',
    expected: { address: '', network: '' },
  },
];
