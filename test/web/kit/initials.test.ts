import t from 'tap';
import { importWeb } from '../../helpers/web.js';

interface Initials {
  initialsOf: (name: string, max: 1 | 2) => string;
}

t.test('initials are those that tell people apart', async (t) => {
  const { initialsOf } = await importWeb<Initials>('kit/components/initials.ts');
  const names = {
    'Mara Lindqvist': 'ML',
    iris: 'I',
    'anna.maria-kern': 'AK',
    陈思远: '思远',
    'Émile  Zola ': 'ÉZ',
    '': '?',
    '🦊 fox': '🦊F',
  };
  for (const [name, initials] of Object.entries(names)) t.equal(initialsOf(name, 2), initials, name);
  t.equal(initialsOf('陈思远', 1), '远');
  t.equal(initialsOf('Mara Lindqvist', 1), 'M');
});
