import type { Observed } from './observed.ts';

/** A process's number differs from run to run: `line 1: 123 Killed`, `$$: 123`, `process 123`, `[1] 123`. */
const pid =
  /(?<=line \d+: +|\bprocess |\bpid |\[\d+\] +)\d{2,}\b|\b\d{2,}(?= (?:Killed|Terminated|Aborted|Segmentation|Bus|Illegal|Trace|Floating|User defined|Broken|Alarm|Hangup|Quit|CPU|File size|Bad system)\b)/g;

/** What was reported to the user, without what differs from run to run. */
export function sayings({ decided, reported }: Observed): string[] {
  const all = [...reported, ...(decided?.reason ? [decided.reason] : [])]
    // oxlint-disable-next-line no-control-regex -- some faults are made of these
    .map((line) => line.replaceAll(/[\u0000-\u001F\u007F-\u009F\uFFFD]+/g, ' ').trim())
    .map((line) => line.replace(/^hook "guard" \(BeforeTool\):? /, ''))
    .map((line) => line.replaceAll(/FAULT_RUN=\S+ exec \/bin\/bash -c/g, '…'))
    // A shell pads short numbers with blanks.
    .map((line) => line.replaceAll(pid, 'PID').replaceAll(/ {2,}(?=PID)/g, ' '))
    .map((line) => line.replaceAll(/\/\S*hookmachine-fault-\w+/g, 'PROJECT'));
  return [...new Set(all)];
}
