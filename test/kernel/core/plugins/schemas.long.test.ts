import t from 'tap';
import { bystander } from '../../platform/sandbox/bystander.js';
import { failureOf } from '../../platform/sandbox/world.js';
import { pluginZip } from './bundle.js';
import { startWorld } from './world.js';

const greet = (input: string) => `ctx.expose({ 'guest.greet': op('greet', { input: ${input} }) }, { 'guest.greet': () => 'one' });`;
/** Only in its own process, so that its manifest says something else. */
const later = (input: string) => greet(`process.pid > 0 ? ${input} : (j) => j.object()`);
/** Schemas that its process claims to have, bypassing all checks there. */
const forged = (schema: string) => `const whole = JSON.stringify;
  if (process.pid > 0) JSON.stringify = (value) => whole(value).replace(/"input":\\{[^}]*\\}[^,]*/, () => '"input":' + ${schema});
  ${greet('(j) => j.object()')}`;
const described = (bytes: number) => later(`(j) => j.object({ word: j.string().description('x'.repeat(${bytes})) })`);
const nested = (depth: number) => `'{"type":"object","properties":{"a":'.repeat(${depth}) + '{}' + '}}'.repeat(${depth})`;

const hostile: Record<string, { activate: string; wall: RegExp }> = {
  'of ten megabytes': {
    activate: described(10_000_000),
    wall: /differs from its manifest/,
  },
  'that is longer than any message': {
    activate: described(20_000_000),
    wall: /too long/,
  },
  'that contains itself': {
    activate: later(`(j) => j.object({ inner: j.link('#whole') }).id('whole')`),
    wall: /can't be written as data/,
  },
  'that is fifty thousand deep': {
    activate: forged(nested(50_000)),
    wall: /differs from its manifest|too deep|call stack|contributions are invalid/,
  },
  'that refers to itself': {
    activate: forged(`'{"type":"object","properties":{"a":{"$ref":"#"}}}'`),
    wall: /differs from its manifest/,
  },
};

for (const [what, { activate, wall }] of Object.entries(hostile)) {
  t.test(`rejects a plugin with a schema ${what} while other requests are answered`, async (t) => {
    const world = await startWorld(t);
    await world.install(pluginZip({ activate: greet('(j) => j.object()') }));
    const unharmed = await bystander(world);
    const refused = await world.install(pluginZip({ version: '2.0.0', activate })).catch(failureOf);
    await unharmed(t);
    t.match(refused, { code: 'extension_failed', message: wall });
    t.equal(await world.ask('guest.greet'), 'one', 'the previous version still serves');
  });
}
