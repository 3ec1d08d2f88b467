/**
 * Answers each message of the program that started this one with what it has cost since the last: processor time in seconds, and the
 * most memory it had. Ends with SIGTERM. The first cost counts from `since`; default: now.
 */
export function tellFigures(since: NodeJS.CpuUsage = process.cpuUsage()): void {
  let cpu = since;
  process.on('message', () => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    process.send?.({ cpu_s: (user + system) / 1e6, memory_mb: process.resourceUsage().maxRSS / 1024 });
  });
  process.on('SIGTERM', () => process.exit(0));
}
