/** One of several instances on the given database and bus, with chat sessions of its administrator. */
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { logIn, password, unmet } from './log-in.js';

const sessions = 100;

const [data_dir = '', database_url = 'sqlite:', bus_url = 'memory:'] = process.argv.slice(2);
const secret_key = 'a master key for benchmarks, 32 chars';
const overrides = {
  data_dir,
  database_url,
  bus_url,
  secret_key,
  port: 0,
  log_level: 'error',
  'members.admin_password': password,
  ...unmet,
};
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });

process.on('SIGTERM', async () => {
  await kernel.close();
  process.exit(0);
});

const caller = await kernel.localCaller('direct');
for (let n = 1; n <= sessions; n += 1)
  await kernel.invoke('sessions.create', { title: `Session ${n}`, target_type: '', target_id: '' }, caller);
process.send?.({ url: kernel.url, token: await logIn(kernel), member: caller.member_id });
