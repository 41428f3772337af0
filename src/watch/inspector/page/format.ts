export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${ms.toFixed(0)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(2)} s`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.floor((ms % 60_000) / 1_000);
  if (minutes < 60) return `${minutes} min ${String(seconds).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** A long time in its largest whole unit. */
export function longSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

const time = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** The time of day. */
export const clock = (at: number): string => (Math.abs(at) < 8.64e15 ? time.format(at) : '');

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** A name such as `timedOut` in words: `timed out`. */
export const words = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();

/** Anything as text. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

/** Returns the step between the ticks of a time axis: 1, 2 or 5 times a power of ten. */
export function tickStep(range: number, most: number): number {
  const rough = range / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
}

/** A state's path in words. `running` within another state is left out, as it goes without saying. */
export const stateInWords = (path: string): string =>
  path
    .split('.')
    .filter((part, index) => index === 0 || part !== 'running')
    .map(words)
    .join(', ');
