/** How many milliseconds of the processor this process has used: on a busy machine work takes longer, but not more of these. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
