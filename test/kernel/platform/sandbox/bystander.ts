import type { Test } from 'tap';
import type { TestPlatform } from '../../../helpers/platform.js';

/** Asks something else of the platform over HTTP, once in 10 ms, until it is told to stop; gives the time that 99 of 100 took at most. */
function ask({ url }: TestPlatform): () => Promise<number> {
  const took: number[] = [];
  const one = async () => {
    const started = performance.now();
    const answer = await fetch(`${url}/api/x/hello/greet?name=Ada`);
    if ((await answer.text()) !== '{"greeting":"Hello, Ada","version":"1.0.0"}') throw new Error('Another answer');
    took.push(performance.now() - started);
  };
  const all: Promise<void>[] = [];
  const timer = setInterval(() => all.push(one()), 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(all);
    return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN;
  };
}

/** Whoever asks the fixture `hello` meanwhile: what an attack costs it, beside what it waits anyway on this machine. */
export async function bystander(platform: TestPlatform): Promise<(t: Test) => Promise<void>> {
  const calm = ask(platform);
  await new Promise((done) => setTimeout(done, 500));
  const usual = await calm();
  const stop = ask(platform);
  return async (t) => {
    const p99 = await stop();
    t.ok(p99 < 300 + usual, `the others wait ${p99.toFixed(0)} ms (p99), as against ${usual.toFixed(0)} ms before`);
  };
}
