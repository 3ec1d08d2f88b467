import joi from 'joi';
import t from 'tap';
import { schemaFromData } from '../../../../kernel/core/host/joi-schema.js';
import { dataFromSchema } from '../../../../kernel/core/host/json-schema.js';
import { Patterns } from '../../../../kernel/core/host/pattern.js';
import { callerOf, startPlatform } from '../../../helpers/platform.js';
import { failureOf, installSandboxed, pluginFolder } from './world.js';

const patterns = () => new Patterns('xx');

/** Each takes RegExp for ever on a text of less than fifty letters. */
const backtracking: Readonly<Record<string, string>> = {
  '^(a+)+$': 'a',
  '^(a|a)*$': 'a',
  '^(a|aa)+$': 'a',
  '(x+x+)+y': 'x',
  '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*$': 'a',
};

for (const [source, letter] of Object.entries(backtracking)) {
  t.test(`${source} backtracks in RegExp, but not here`, async (t) => {
    // Measures processor time, so that other programs don't count.
    const timed = (work: () => unknown) => {
      const start = process.cpuUsage();
      work();
      return process.cpuUsage(start).user / 1_000;
    };
    const native = new RegExp(source);
    const text = (length: number) => `${letter.repeat(length)}!`;
    let [length, ms] = [16, 0];
    for (; ms < 200 && length < 50; length += 1) ms = timed(() => native.test(text(length)));
    t.ok(ms >= 200, `RegExp takes ${ms} ms for ${length} letters`);
    const linear = patterns().make(source, '');
    linear.test('');
    t.ok(timed(() => t.equal(linear.test(text(length)), false)) < 100, 'the same text is matched quickly');
    t.ok(timed(() => t.equal(linear.test(text(5_000)), false)) < 1_000, 'a long text is matched quickly');
  });
}

t.test('a pattern matches like RegExp', async (t) => {
  for (const [source, flags, texts] of [
    ['^[a-z][a-z0-9._-]{0,63}$', '', ['a', 'a.b', 'A', '', `a${'b'.repeat(64)}`]],
    ['^\\S+@\\S+\\.\\w{2,}$', '', ['me@a.example', 'me@a', '@a.example']],
    ['ab?c', 'i', ['xABCx', 'AC', 'B']],
    ['^b', 'm', ['a\nb', 'ab']],
    ['a.b', 's', ['a\nb', 'ab']],
    ['\\u0041|\\x42|\\/', '', ['A', 'B', '/', 'C']],
    ['^\\p{L}+$', 'u', ['été', '漢字', '1']],
    ['(?<year>\\d{4})-(?:\\d\\d)', '', ['2024-02', '202-02']],
    ['[^]', '', ['\n', '']],
  ] as const) {
    const native = new RegExp(source, flags);
    const linear = patterns().make(source, flags);
    for (const text of texts) t.equal(linear.test(text), native.test(text), `/${source}/${flags} with '${text}'`);
  }
});

t.test('patterns that are not linear are rejected with a code', async (t) => {
  const refused = (source: string, flags: string, message: RegExp) =>
    t.throws(() => patterns().make(source, flags), { code: 'pattern_refused', status: 400, message }, source.slice(0, 40));
  refused('(?=a)b', '', /^The pattern '\(\?=a\)b' is not supported: /);
  refused('(?<!a)b', '', /is not supported/);
  refused('(a)\\1', '', /is not supported/);
  refused('a(', '', /is not supported/);
  refused('a', 'g', /the flag 'g' is not known/);
  refused('a'.repeat(1_001), '', /longer than 1000/);
  refused('x{1000}y{1}', '', /repeats more than 1000 times/);
  refused('((a{100}){100}){10}', '', /is not supported/);
});

t.test('matching work is limited for a text, and for all patterns of a plugin per second', async (t) => {
  const pattern = patterns().make('^.{1000}$', 's');
  t.equal(pattern.test('a'.repeat(1_000)), true);
  t.equal(pattern.test('a'.repeat(1_000_000)), false);
  const costly = patterns().make('(\\pL{10}){100}', '');
  const start = process.cpuUsage();
  t.throws(() => Array.from({ length: 1_000 }, () => costly.test('é'.repeat(1_500))), { code: 'rate_limited', retry_after: 1 });
  t.ok(process.cpuUsage(start).user < 2_000_000, 'the limit is reached long before the last text');
  t.equal(patterns().make('a', '').test('a'), true, 'another plugin is not limited');
});

t.test('a schema with a linear pattern is described like any other', async (t) => {
  const data = { type: 'string', pattern: '^a+$', 'x-flags': 'i' };
  const maker = patterns();
  const schema = schemaFromData(joi, data, (source, flags) => maker.make(source, flags));
  t.match(dataFromSchema(schema), { pattern: '^a+$', 'x-flags': 'i' });
  t.match(schema.validate('AAA'), { error: undefined, value: 'AAA' });
  t.match(schema.validate('b').error, { message: '"value" with value "b" fails to match the required pattern: /^a+$/i' });
  t.throws(() => 'a'.replace(maker.make('a', ''), ''), /supports test\(\) only/, 'the pattern never runs as a regular expression');
});

t.test("a plugin's errors call a pattern by its name", async (t) => {
  const platform = await startPlatform(t, { extensions: [] });
  const take = "j.object({ code: j.string().pattern(/^[a-z]+$/, 'lower-case letters') })";
  await installSandboxed(
    platform,
    await pluginFolder(t, `ctx.expose({ 'x.take': op('take', { input: (j) => ${take} }) }, { 'x.take': () => 'taken' });`),
  );
  const refused = await platform.kernel.invoke('x.take', { code: 'A1' }, callerOf()).catch(failureOf);
  t.match(refused, { code: 'invalid_input', details: [{ path: 'code', message: /fails to match the lower-case letters pattern/ }] });
});

t.test('a name of a pattern is a short text', async (t) => {
  for (const name of [{ invert: true }, 'n'.repeat(101), 7, null]) {
    const data = { type: 'string', pattern: '^a$', 'x-pattern-name': name };
    t.throws(
      () => schemaFromData(joi, data),
      { code: 'invalid_schema', message: /^schema: 'x-pattern-name' must be a text/ },
      JSON.stringify(name),
    );
  }
  const data = { type: 'string', pattern: '^a$', 'x-pattern-name': 'n'.repeat(100) };
  t.match(dataFromSchema(schemaFromData(joi, data)), data);
});

t.test('a plugin with a backtracking pattern blocks nobody, and one with a rejected pattern does not start', async (t) => {
  const platform = await startPlatform(t, { extensions: [] });
  const plugin = (pattern: string) =>
    pluginFolder(
      t,
      `ctx.expose({ 'x.take': op('take', { input: (j) => j.object({ text: j.string().pattern(${pattern}) }) }) }, { 'x.take': () => 'taken' });`,
    );
  await installSandboxed(platform, await plugin('/^(a+)+$/'));
  const take = (text: string) => platform.kernel.invoke('x.take', { text }, callerOf());
  t.match(await take('aaa'), { body: 'taken' });
  const start = performance.now();
  t.match(await take(`${'a'.repeat(40)}!`).catch(failureOf), { code: 'invalid_input' });
  t.ok(performance.now() - start < 10_000);
  t.match(await take('aaa'), { body: 'taken' });
  const refused = await installSandboxed(platform, await plugin('/(?=a)a/')).catch(failureOf);
  t.match(refused, { code: 'pattern_refused', message: /\(\?=a\)a/ });
  t.match(await take('aaa'), { body: 'taken' }, 'the previous version still serves');
});
