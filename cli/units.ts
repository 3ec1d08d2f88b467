const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time in its two largest units: `3 h 12 min`. */
export function duration(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts: string[] = [];
  for (const [unit, length] of spans) {
    const amount = Math.floor(rest / length);
    rest -= amount * length;
    if (amount > 0 || parts.length > 0) parts.push(amount > 0 ? `${amount} ${unit}` : '');
  }
  return parts.slice(0, 2).filter(Boolean).join(' ') || '0 s';
}

/** A number with its thousands apart: `1,234,567`. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
