const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats an amount of bytes: `512 B`, `1.5 KiB`, `20 MiB`. */
export function size(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), steps.length - 1);
  const value = bytes / 1024 ** step;
  return `${step > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${steps[step]}`;
}
