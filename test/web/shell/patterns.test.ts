import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Patterns {
  matchPattern: (pattern: string, path: string) => object | undefined;
  bestMatch: <T>(patterns: Readonly<Record<string, T>>, path: string) => { value: T; params: object } | undefined;
  isBelow: (path: string, top: string) => boolean;
}

t.test('a pattern names parts of an address', async (t) => {
  const { matchPattern } = await importWeb<Patterns>('shell/patterns.ts');
  t.strictSame(matchPattern('/chat/:session_id', '/chat/0199.7'), { session_id: '0199.7' });
  t.strictSame(matchPattern('/chat/:session_id', '/chat/a%2Fb/'), { session_id: 'a/b' });
  t.strictSame(matchPattern('/files/*', '/files/a/b.txt'), { '*': 'a/b.txt' });
  t.strictSame(matchPattern('/x/:name', '/x/100%'), { name: '100%' }, 'a stray percent sign is a character');
  for (const path of ['/chat', '/chat/1/2', '/chats/1']) t.equal(matchPattern('/chat/:session_id', path), undefined, path);
});

t.test('the most specific pattern shows an address', async (t) => {
  const { bestMatch } = await importWeb<Patterns>('shell/patterns.ts');
  const views = { '/nodes/:id': 'detail', '/nodes/new': 'new', '/nodes': 'list', '/nodes/*': 'rest' };
  for (const [path, view] of Object.entries({ '/nodes': 'list', '/nodes/new': 'new', '/nodes/7': 'detail', '/nodes/7/logs': 'rest' }))
    t.equal(bestMatch(views, path)?.value, view, path);
  t.equal(bestMatch(views, '/people'), undefined);
});

t.test('addresses below an entry belong to its extension, and only those', async (t) => {
  const { isBelow } = await importWeb<Patterns>('shell/patterns.ts');
  t.ok(isBelow('/chat', '/chat') && isBelow('/chat/1', '/chat') && isBelow('/', '/'));
  t.notOk(isBelow('/chats', '/chat') || isBelow('/chat', '/'));
});
