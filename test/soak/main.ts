/**
 * A day's mixed load in twenty minutes (`--minutes`: a part of it, at the same rate): tells memory, handles and listeners at each
 * twentieth of the time and the p99 of each quarter, then whether all of it stayed as it was. Exits with 1 where it did not.
 */
import { parseArgs } from 'node:util';
import { soak } from './soak.js';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '20' }, leaking: { type: 'boolean', default: false } } });
const lines = await soak({ minutes: Number(values.minutes), leaks: values.leaking, tell: (line) => console.log(line) });
for (const { what, found, isKept } of lines) console.log(`${isKept ? 'kept  ' : 'MISSED'} ${what}: ${found}`);
process.exit(lines.every(({ isKept }) => isKept) ? 0 : 1);
