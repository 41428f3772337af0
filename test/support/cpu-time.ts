/** The CPU time of this process, in ms: on a busy machine work takes longer, but not more CPU time. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
