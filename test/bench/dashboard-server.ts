/** A platform whose journal carries a number of events a second, all of a topic that the dashboard reads. */
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { fixture, ownExtension } from '../helpers/folders.js';
import { callerOf } from '../helpers/platform.js';
import { password, unmet } from './log-in.js';

const tick_ms = 50;
const [data_dir = '', per_second = ''] = process.argv.slice(2);
const overrides = { data_dir, port: 0, log_level: 'error' as const, 'members.admin_password': password, ...unmet };
const extensions = [ownExtension('system'), ownExtension('members'), fixture('frames')];
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true, extensions });

const text = 'what an extension has to say about something that has happened';
const begun = performance.now();
let told = 0;
let telling = Promise.resolve();
const timer = setInterval(() => {
  const times = Math.floor(((performance.now() - begun) / 1000) * Number(per_second)) - told;
  told += times;
  const input = { to: { topic: 'frames.news' }, frame: { type: 'frames.told', data: { told, text } }, keep: true, times };
  telling = telling.then(async () => void (await kernel.invoke('frames.push', input, callerOf())));
}, tick_ms);

process.on('SIGTERM', async () => {
  clearInterval(timer);
  await telling;
  await kernel.close();
  process.exit(0);
});

process.send?.({ url: kernel.url });
