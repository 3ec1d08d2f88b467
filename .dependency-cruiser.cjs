/**
 * The arrows between the parts, as far as values go: `contract ← kernel ← cli, tui` and
 * `contract ← extensions`. They are read from the build, since types are erased there; those are
 * checked by `test/architecture`, which also runs this and proves each rule by a planted violation.
 */
const npm = (...names) => `node_modules/(${names.join('|')})/`;

/** `panel.js` of an extension, and what lies in its folder `panel`. */
const panel = '^dist/extensions/([^/]+)/panel(/|\\.js$)';

const rule = (name, comment, { from = {}, to }) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('contract-alone', 'The contract stands on nothing but a comparison of words.', {
      from: { path: '^dist/kernel/contract/' },
      to: { pathNot: ['^dist/kernel/contract/', npm('fastest-levenshtein')] },
    }),
    rule('core-alone', 'Core is given its parts through interfaces of its own.', {
      from: { path: '^dist/kernel/core/' },
      to: { path: '^dist/', pathNot: '^dist/kernel/(core|contract)/' },
    }),
    rule('kernel-below', 'The kernel knows no extension and no door.', {
      from: { path: '^dist/kernel/' },
      to: { path: '^dist/(extensions|cli|tui|test)/' },
    }),
    rule('config-below', 'Settings are plain values.', {
      from: { path: '^dist/config/' },
      to: { path: '^dist/', pathNot: '^dist/(config|kernel/contract)/' },
    }),
    rule('extension-alone', 'Extensions meet as types; of the kernel they know the contract.', {
      from: { path: '^dist/extensions/([^/]+)/', pathNot: panel },
      to: { path: '^dist/', pathNot: ['^dist/extensions/$1/', '^dist/kernel/contract/'] },
    }),
    rule('panel-in-kit', 'A panel runs in the dashboard: it knows its kit, and of its extension what else is its own.', {
      from: { path: panel },
      to: { path: '^dist/', pathNot: ['^dist/extensions/$1/panel(/|\\.js$)', '^dist/tui/kit/', '^dist/kernel/contract/'] },
    }),
    rule('panel-aside', 'What runs in the server has no panel in it.', {
      from: { path: '^dist/', pathNot: [panel, '^dist/test/'] },
      to: { path: panel },
    }),
    rule('cli-beside-extensions', 'The CLI finds extensions in the catalog.', {
      from: { path: '^dist/cli/' },
      to: { path: '^dist/(extensions|test)/' },
    }),
    rule('tui-beside-extensions', 'The TUI finds panels on disk.', {
      from: { path: '^dist/tui/' },
      to: { path: '^dist/(extensions|cli|test)/' },
    }),
    rule('hapi-only-in-http', 'The direct way loads no hapi.', {
      from: { path: '^dist/', pathNot: '^dist/(kernel/platform/http|test)/' },
      to: { path: npm('@hapi/(hapi|inert|vision)', 'hapi-swagger') },
    }),
    rule('jwt-where-it-is-made-or-read', 'Tokens are signed by members and read by the doors.', {
      from: { path: '^dist/', pathNot: '^dist/(kernel/platform/http|extensions/members|test)/' },
      to: { path: npm('@hapi/jwt') },
    }),
    rule('sequelize-only-in-stores', 'Only stores and migrations know tables.', {
      from: {
        path: '^dist/',
        pathNot: [
          '^dist/(kernel/platform/(data|move)|test)/',
          '^dist/extensions/[^/]+/(store|[a-z-]+-store|(store|stores|migrations)/.+)\\.js$',
        ],
      },
      to: { path: npm('sequelize', 'sqlite3', 'pg', 'umzug') },
    }),
    rule('terminal-only-in-doors', 'Nothing below the doors knows a terminal.', {
      from: { path: '^dist/(kernel|extensions|config)/' },
      to: { path: npm('commander', 'ink') },
    }),
    rule('no-test-packages', 'What only tests have is not there in production.', {
      from: { pathNot: '^dist/test/' },
      to: { dependencyTypes: ['npm-dev'] },
    }),
    rule('no-unlisted-packages', 'A package is named in package.json.', { to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] } }),
    rule('resolvable', 'An import leads somewhere.', { to: { couldNotResolve: true } }),
    rule('no-cycles', 'Arrows never point back.', { to: { circular: true } }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The bundles for browsers import the kit by names that the document's import map resolves.
    exclude: { path: '\\.cjs$|^dist/(test/fixtures|extensions/[^/]+/web)/' },
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'require', 'default'] },
  },
};
