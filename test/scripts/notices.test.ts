import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

interface Part {
  path: string;
  name: string;
  version: string;
  license?: string;
  optional?: boolean;
  os?: string[];
  optionalDependencies?: Record<string, string>;
}

interface Notices {
  readonly noticesOf: (from: { root: string; packages: readonly Part[]; extra: string }) => Promise<string>;
}

const script = pathToFileURL(join(process.cwd(), 'scripts/release/notices.mjs')).href;
const { noticesOf } = (await import(script)) as Notices;

const part = (name: string, more: Partial<Part> = {}): Part => ({
  path: `node_modules/${name}`,
  name,
  version: '1.0.0',
  license: 'MIT',
  ...more,
});

const permission = 'Permission is hereby granted, free of charge.';

t.test('each package is listed once with its text, and equal texts appear once', async (t) => {
  const root = t.testdir({
    node_modules: {
      one: { LICENSE: `${permission}\r\n`, 'license.js': 'code' },
      two: { 'LICENCE.md': permission },
      three: { 'README.md': '# three\n\n## License\n\nPermission is granted by the README.\n\n## More\n\nNothing.\n' },
      apache: { 'LICENSE-APACHE': 'Apache text', NOTICE: 'Made by Ada.', 'package.json': '{"licenses":[{"type":"Apache-2.0"}]}' },
    },
    extra: { '@scope+four@1.0.0.txt': 'The text of four.\n' },
  });
  const { license: _, ...apache } = part('apache');
  const packages = [
    ...['one', 'two', 'three'].map((name) => part(name)),
    apache,
    part('@scope/four'),
    part('bin-win', { optional: true, os: ['win32'] }),
  ];
  const owner = packages[0] as Part;
  owner.optionalDependencies = { 'bin-win': '1.0.0' };
  const sections = (await noticesOf({ root, packages, extra: join(root, 'extra') })).split(/^-+\n/m).slice(1);
  t.same(
    sections.map((section) => section.trim()),
    [
      '@scope/four@1.0.0 (MIT)\n\nThe text of four.',
      'apache@1.0.0 (Apache-2.0)\n\nApache text\n\nMade by Ada.',
      `bin-win@1.0.0 (MIT)\none@1.0.0 (MIT)\ntwo@1.0.0 (MIT)\n\n${permission}`,
      'three@1.0.0 (MIT)\n\nPermission is granted by the README.',
    ],
  );
});

t.test('a package without a text fails, by name', async (t) => {
  const root = t.testdir({
    node_modules: { bare: { 'README.md': '## License\n\nMIT\n' }, absent: {}, here: { LICENSE: permission } },
    extra: {},
  });
  const packages = [part('bare'), part('gone', { optional: true, os: ['win32'] }), part('here')];
  await t.rejects(noticesOf({ root, packages, extra: join(root, 'extra') }), {
    message: /^No licence text: bare@1\.0\.0, gone@1\.0\.0\. Find it/,
  });
});

t.test('a text of a package that is not installed fails, so that a new version is looked at', async (t) => {
  const root = t.testdir({ node_modules: { one: { LICENSE: permission } }, extra: { 'one@0.9.0.txt': 'Old.' } });
  await t.rejects(noticesOf({ root, packages: [part('one')], extra: join(root, 'extra') }), { message: /not installed: one@0\.9\.0$/ });
});
