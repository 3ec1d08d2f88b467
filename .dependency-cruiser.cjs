/**
 * The arrows between the parts, as far as values go: `contract ← kernel ← cli, tui` and
 * `contract ← extensions`. They are read from the build, since types are erased there; those are
 * checked by `test/architecture`, which also runs this and proves each rule by a planted violation.
 */
const npm = (...names) => `node_modules/(${names.join('|')})/`;

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('contract-alone', 'The contract stands on nothing.', { path: '^dist/kernel/contract/' }, { pathNot: '^dist/kernel/contract/' }),
    rule(
      'kernel-below',
      'The kernel knows no extension and no door.',
      { path: '^dist/kernel/' },
      { path: '^dist/(extensions|cli|tui|test)/' },
    ),
    rule(
      'config-below',
      'Settings are plain values.',
      { path: '^dist/config/' },
      { path: '^dist/', pathNot: '^dist/(config|kernel/contract)/' },
    ),
    rule(
      'extension-alone',
      'Extensions meet as types; of the kernel they know the contract.',
      { path: '^dist/extensions/([^/]+)/' },
      { path: '^dist/', pathNot: ['^dist/extensions/$1/', '^dist/kernel/contract/'] },
    ),
    rule('cli-beside-extensions', 'The CLI finds extensions in the catalog.', { path: '^dist/cli/' }, { path: '^dist/(extensions|test)/' }),
    rule('tui-beside-extensions', 'The TUI finds panels on disk.', { path: '^dist/tui/' }, { path: '^dist/(extensions|cli|test)/' }),
    rule(
      'hapi-only-in-http',
      'The direct way loads no hapi.',
      { path: '^dist/', pathNot: '^dist/(kernel/http|test)/' },
      { path: npm('@hapi/(hapi|inert|vision)', 'hapi-swagger') },
    ),
    rule(
      'jwt-where-it-is-made-or-read',
      'Tokens are signed by members and read by the doors.',
      { path: '^dist/', pathNot: '^dist/(kernel/http|extensions/members|test)/' },
      { path: npm('@hapi/jwt') },
    ),
    rule(
      'sequelize-only-in-stores',
      'Only stores and migrations know tables.',
      {
        path: '^dist/',
        pathNot: '^dist/(kernel/data|test)/|^dist/extensions/[^/]+/(store|[a-z-]+-store|(store|stores|migrations)/.+)\\.js$',
      },
      { path: npm('sequelize', 'sqlite3', 'pg', 'umzug') },
    ),
    rule(
      'terminal-only-in-doors',
      'Nothing below the doors knows a terminal.',
      { path: '^dist/(kernel|extensions|config)/' },
      { path: npm('commander', 'ink') },
    ),
    rule(
      'no-test-packages',
      'What only tests have is not there in production.',
      { pathNot: '^dist/test/' },
      { dependencyTypes: ['npm-dev'] },
    ),
    rule('no-unlisted-packages', 'A package is named in package.json.', {}, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }),
    rule('resolvable', 'An import leads somewhere.', {}, { couldNotResolve: true }),
    rule('no-cycles', 'Arrows never point back.', {}, { circular: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.cjs$|^dist/test/fixtures/' },
    moduleSystems: ['es6', 'cjs'],
  },
};
