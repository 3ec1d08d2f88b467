import type { Fault } from '../../../kernel/contract/index.js';

/** The least that engines give a container: 6 MiB. */
const least_bytes = 6 * 1024 ** 2;
/** 1 TiB. */
const max_bytes = 1024 ** 4;
/** Engines count in billionths and give a hundredth of a processor at least. */
const least_nanos = 10_000_000;
/** 1,024 processors. */
const max_nanos = 1_024_000_000_000;

const memory = /^(\d{1,15})(?:\.(\d{1,9}))?(?:([kmg])(?:i?b)?|b)$/i;
const cpu = /^(\d{1,9})(?:\.(\d{1,9}))?$/;
const powers: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3 };

/** A limit as a number, or what is wrong with it. */
export type Limit = { value: number } | { fault: Fault };

/**
 * Bytes of a limit such as `512m`, `1.5g`, `512MiB`, `536870912b`: a number and a unit `b`, `k`, `m` or `g`, the latter three
 * with or without `b` or `ib`, in any case; each 1,024 of the one before. 6m to 1024g.
 */
export function memoryOf(text: string): Limit {
  const path = 'config.memory_limit';
  const [, whole, fraction = '0', unit] = memory.exec(text) ?? [];
  if (whole === undefined) return wrong(path, 'must be a number and a unit b, k, m or g, such as 512m');
  const value = Math.floor(Number(`${whole}.${fraction}`) * 1024 ** (unit === undefined ? 0 : (powers[unit.toLowerCase()] ?? 0)));
  if (value < least_bytes || value > max_bytes) return wrong(path, 'must be at least 6m and at most 1024g');
  return { value };
}

/** Billionths of a processor of a limit such as `1.5`: a decimal number with at most nine places. 0.01 to 1,024. */
export function cpuOf(text: string): Limit {
  const path = 'config.cpu_limit';
  const [, whole, fraction = ''] = cpu.exec(text) ?? [];
  if (whole === undefined) return wrong(path, 'must be a decimal number of processors, such as 1.5');
  // Not by a float: 0.29 would lose one.
  const value = Number(whole) * 1_000_000_000 + Number(fraction.padEnd(9, '0'));
  if (value < least_nanos || value > max_nanos) return wrong(path, 'must be at least 0.01 and at most 1024');
  return { value };
}

/** Of one that was checked. */
export function amountOf(limit: Limit): number {
  if ('fault' in limit) throw new Error(limit.fault.message);
  return limit.value;
}

function wrong(path: string, what: string): Limit {
  return { fault: { path, message: `"${path}" ${what}` } };
}
