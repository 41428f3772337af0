import type { Policy } from './engine.ts';
import { usualTimeout, type Fault } from './fault.ts';
import type { Observed } from './host.ts';
import { sayings } from './sayings.ts';

/** Between SIGTERM and SIGKILL, in ms. */
const grace = 5_000;

/** What else a call may take after its deadline, in ms. */
const margin = 100;

/** How long a call with this fault may take, in ms. */
export const longest = ({ timeout = usualTimeout, isDeaf, hostIsBusyFor = 0 }: Fault): number =>
  timeout + hostIsBusyFor + (isDeaf ? grace : 0) + margin;

/** The claims that a run did not keep; none is what we want. */
export function brokenClaims(fault: Fault, policy: Policy, observed: Observed): string[] {
  const { decided, ms, processes, descriptors, told, uncaught, readyShell } = observed;
  const broken: string[] = [];
  if (decided === undefined)
    return [uncaught.length > 0 ? `it never settled: ${uncaught.join(', ')}` : 'it never settled'];
  const { expected } = fault;
  const { isDenied } = decided;
  const fails = expected === 'failure' || expected === 'denial or failure';
  if (!isDenied && (expected === 'denial' || (fails && policy === 'block')))
    broken.push('a denial was lost');
  if (isDenied && (expected === 'allow' || (expected === 'failure' && policy === 'allow')))
    broken.push('it denied without cause');
  if (fails && !isDenied && told.length === 0) broken.push('nobody was told');
  if (isDenied && !decided.reason?.trim()) broken.push('the denial has no reason');
  if (ms > longest(fault)) broken.push(`it took ${Math.round(ms)} ms`);
  if (processes > 0) broken.push(`${processes} processes left`);
  if (descriptors > 0) broken.push(`${descriptors} descriptors left`);
  if (uncaught.length > 0) broken.push(`nobody caught: ${uncaught.join(', ')}`);
  if (readyShell !== undefined && readyShell !== (fault.readyShell ?? 'is taken'))
    broken.push(`the shell that was ready ${readyShell}`);
  return broken;
}

/** What else came of the same fault in a shell that was ready; nothing is what we want. */
export function differences({ expected }: Fault, plain: Observed, ready: Observed): string[] {
  // A hook that needs no process of its own may be run where another cannot be.
  if (expected === 'denial or failure') return [];
  const different: string[] = [];
  if (plain.decided?.isDenied !== ready.decided?.isDenied) different.push('it decided otherwise');
  // How much is written until nobody may write any more is chance.
  const [one, other] = [plain, ready].map((observed) =>
    sayings(observed)
      .filter((line) => !line.includes('went over 10 MiB'))
      .join(' / '),
  );
  if (one !== other) different.push(`it told: ${other}`);
  return different;
}
