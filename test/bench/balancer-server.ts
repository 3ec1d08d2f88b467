/** A balancer before the addresses that are given. */
import { Balancer } from '../helpers/balancer.js';

const balancer = await Balancer.start(process.argv.slice(2));

process.on('SIGTERM', async () => {
  await balancer.close();
  process.exit(0);
});

process.send?.({ url: balancer.url });
