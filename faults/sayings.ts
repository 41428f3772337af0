import type { Observed } from './host.ts';

/** What the user was told, without what differs from run to run. */
export function sayings({ decided, told }: Observed): string[] {
  const all = [...told, ...(decided?.reason ? [decided.reason] : [])]
    // oxlint-disable-next-line no-control-regex -- some faults are made of these
    .map((line) => line.replaceAll(/[\u0000-\u001F\u007F-\u009F\uFFFD]+/g, ' ').trim())
    .map((line) => line.replace(/^hook "guard" \(BeforeTool\):? /, ''))
    .map((line) => line.replaceAll(/FAULT_RUN=\S+ exec \/bin\/bash -c/g, '…'))
    .map((line) => line.replace(/(?<=line \d+: )\d+(?= Killed)/, 'PID'))
    .map((line) => line.replaceAll(/\/\S*hookmachine-fault-\w+/g, 'PROJECT'));
  return [...new Set(all)];
}
