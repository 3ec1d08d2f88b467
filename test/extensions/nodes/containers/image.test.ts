import t from 'tap';
import { imageOf } from '../../../../extensions/nodes/containers/image.js';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

t.test('parses image references for registries', async (t) => {
  const taken: readonly [string, string, string, string][] = [
    ['python', 'python:latest', 'python', 'latest'],
    ['python:3.12-slim', 'python:3.12-slim', 'python', '3.12-slim'],
    ['library/python', 'library/python:latest', 'library/python', 'latest'],
    ['127.0.0.1:5000/busybox:latest', '127.0.0.1:5000/busybox:latest', '127.0.0.1:5000/busybox', 'latest'],
    ['localhost:5000/a', 'localhost:5000/a:latest', 'localhost:5000/a', 'latest'],
    ['[2001:db8::1]:5000/a/b', '[2001:db8::1]:5000/a/b:latest', '[2001:db8::1]:5000/a/b', 'latest'],
    ['Registry.Example.org/team/work:V1', 'Registry.Example.org/team/work:V1', 'Registry.Example.org/team/work', 'V1'],
    ['a__b/c--d.e_f', 'a__b/c--d.e_f:latest', 'a__b/c--d.e_f', 'latest'],
    [`python@${digest}`, `python@${digest}`, 'python', digest],
    [`python:3@${digest}`, `python:3@${digest}`, 'python', digest],
  ];
  for (const [text, reference, name, version] of taken) t.same(imageOf(text), { reference, name, version }, text);
});

t.test('rejects malformed references', async (t) => {
  const refused = [
    '',
    ' ',
    'Python',
    'python:',
    'python:-x',
    ':latest',
    '/a',
    'a/',
    'a//b',
    'a..b',
    '-a',
    'a-',
    'a b',
    'a\n',
    'a:b:c',
    'a?tag=b',
    'a#b',
    '../a',
    'a/../b',
    'http://a/b',
    'a@sha256:1',
    `a@${digest}0`,
    'a@md5:00',
    '0'.repeat(64),
    `${'a'.repeat(256)}`,
    `a:${'b'.repeat(129)}`,
    'a'.repeat(10_000),
    'é',
    'a___b',
  ];
  for (const text of refused)
    t.match(imageOf(text), { fault: { path: 'config.image', message: /such as python/ } }, JSON.stringify(text).slice(0, 60));
});
