import t from 'tap';
import { cpuOf, memoryOf } from '../../../../extensions/nodes/containers/limits.js';

const mib = 1024 ** 2;
const gib = 1024 ** 3;

t.test('memory limits are numbers with units of 1,024', async (t) => {
  const taken: readonly [string, number][] = [
    ['512m', 512 * mib],
    ['512M', 512 * mib],
    ['512mb', 512 * mib],
    ['512MB', 512 * mib],
    ['512mib', 512 * mib],
    ['512MiB', 512 * mib],
    ['0512m', 512 * mib],
    ['1g', gib],
    ['1.5g', 1.5 * gib],
    ['0.25GiB', gib / 4],
    ['65536k', 64 * mib],
    ['65536KiB', 64 * mib],
    ['6291456b', 6 * mib],
    ['6291456B', 6 * mib],
    ['6m', 6 * mib],
    ['6.1m', Math.floor(6.1 * mib)],
    ['1024g', 1024 * gib],
  ];
  for (const [text, value] of taken) t.same(memoryOf(text), { value }, text);
});

t.test('other memory limits are rejected', async (t) => {
  const grammar = [
    '',
    '512',
    'm',
    '512 m',
    ' 512m',
    '512m ',
    '-1m',
    '+1m',
    '1e3m',
    '1,5g',
    '.5g',
    '1.g',
    '512t',
    '512bb',
    '512ib',
    '512bib',
    '512mm',
    '512m\n',
    '٥١٢m',
    '0x10m',
    '1_000m',
    'Infinityg',
    '9999999999999999b',
  ];
  for (const text of grammar)
    t.match(memoryOf(text), { fault: { path: 'config.memory_limit', message: /number and a unit/ } }, JSON.stringify(text));
  for (const text of ['0m', '0b', '1b', '6291455b', '5.999m', '1024.1g', '999999999999999g'])
    t.match(memoryOf(text), { fault: { path: 'config.memory_limit', message: /at least 6m and at most 1024g/ } }, text);
});

t.test('processor limits are decimal numbers with nine digits', async (t) => {
  const taken: readonly [string, number][] = [
    ['1.0', 1_000_000_000],
    ['1', 1_000_000_000],
    ['0.5', 500_000_000],
    ['00.5', 500_000_000],
    ['0.01', 10_000_000],
    ['0.29', 290_000_000],
    ['1.005', 1_005_000_000],
    ['0.123456789', 123_456_789],
    ['1024', 1_024_000_000_000],
  ];
  for (const [text, value] of taken) t.same(cpuOf(text), { value }, text);
  for (const text of ['', '.5', '1.', '-1', '+1', '1,5', '1e1', '1.1234567891', ' 1', '1 ', 'NaN', 'two', '1.0m', '1\n'])
    t.match(cpuOf(text), { fault: { path: 'config.cpu_limit', message: /decimal number/ } }, JSON.stringify(text));
  for (const text of ['0', '0.0', '0.009999999', '1024.1', '999999999'])
    t.match(cpuOf(text), { fault: { message: /at least 0.01 and at most 1024/ } }, text);
});
