import hooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import processOnSpawn from 'process-on-spawn';

// Loaded before each test file by `test/run.ts`. tap would have every program that a test starts load tap's recorder
// too: that doubles a command's time, and shows in what the program has loaded. They shall run as they do for users.
// Their coverage is not counted then; `npx tap` alone counts it.
processOnSpawn.removeAllListeners();
for (const name of Object.keys(process.env)) if (name === 'NODE_OPTIONS' || name.startsWith('_TAPJS_')) delete process.env[name];

// tap would follow every promise, to tell of which test a stray error is. Without that, which costs time, such an error
// fails its file.
const deaf: hooks.AsyncHook = { enable: () => deaf, disable: () => deaf };
hooks.createHook = () => deaf;
syncBuiltinESMExports();
process.on('uncaughtException', (stray) => void import('tap').then(({ default: tap }) => tap.threw(stray)));
