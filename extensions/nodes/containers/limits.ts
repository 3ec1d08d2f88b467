import type { Fault } from '../../../kernel/contract/index.js';

/** Minimum memory that engines give a container: 6 MiB. */
const min_bytes = 6 * 1024 ** 2;
/** Maximum memory: 1 TiB. */
const max_bytes = 1024 ** 4;
/** Minimum processor share: engines count in billionths and give at least a hundredth. */
const min_nanos = 10_000_000;
/** Maximum: 1,024 processors. */
const max_nanos = 1_024_000_000_000;

const memory = /^(\d{1,15})(?:\.(\d{1,9}))?(?:([kmg])(?:i?b)?|b)$/i;
const cpu = /^(\d{1,9})(?:\.(\d{1,9}))?$/;
const powers: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3 };

/** Parsed limit, or its error. */
export type Limit = { value: number } | { fault: Fault };

/**
 * Parses a memory limit such as `512m`, `1.5g`, `512MiB` or `536870912b` to bytes: a number and a unit `b`, `k`, `m` or
 * `g`, the latter three with or without `b` or `ib`, in any case; each 1,024 times the one before. 6m to 1024g.
 */
export function memoryOf(text: string): Limit {
  const path = 'config.memory_limit';
  const [, whole, fraction = '0', unit] = memory.exec(text) ?? [];
  if (whole === undefined) return wrong(path, 'must be a number and a unit b, k, m or g, such as 512m');
  const value = Math.floor(Number(`${whole}.${fraction}`) * 1024 ** (unit === undefined ? 0 : (powers[unit.toLowerCase()] ?? 0)));
  if (value < min_bytes || value > max_bytes) return wrong(path, 'must be at least 6m and at most 1024g');
  return { value };
}

/** Parses a processor limit such as `1.5` to billionths: a decimal number with at most nine places. 0.01 to 1,024. */
export function cpuOf(text: string): Limit {
  const path = 'config.cpu_limit';
  const [, whole, fraction = ''] = cpu.exec(text) ?? [];
  if (whole === undefined) return wrong(path, 'must be a decimal number of processors, such as 1.5');
  // Avoid a float: 0.29 would lose one.
  const value = Number(whole) * 1_000_000_000 + Number(fraction.padEnd(9, '0'));
  if (value < min_nanos || value > max_nanos) return wrong(path, 'must be at least 0.01 and at most 1024');
  return { value };
}

/** Returns the value of a validated limit. */
export function amountOf(limit: Limit): number {
  if ('fault' in limit) throw new Error(limit.fault.message);
  return limit.value;
}

function wrong(path: string, what: string): Limit {
  return { fault: { path, message: `"${path}" ${what}` } };
}
