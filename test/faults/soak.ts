/**
 * `npm run soak:faults -- --seed 7 --minutes 20`: faults at random while clients write, and what came of each. A seed that was
 * printed gives the same faults again. Needs root, PostgreSQL, Redis and iptables; see `main.ts` for what else may be asked.
 */
import { once } from 'node:events';
import { startInNamespace } from './namespace.js';

const given = process.argv.slice(2);
const usual = given.includes('--minutes') ? [] : ['--minutes', '20'];
const child = startInNamespace(['--together', '3', ...usual, ...given]);
child.stdout?.pipe(process.stdout);
const [code] = await once(child, 'exit');
process.exitCode = typeof code === 'number' ? code : 1;
