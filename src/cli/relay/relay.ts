import type { Host } from '../../core/dialects/dialect.ts';
import { mustBeJudged, unanswered } from '../../hosts/parts/denying-answer.ts';
import { denyAtExit } from '../parts/deny-at-exit.ts';
import { print, warnAtOnce } from '../parts/print.ts';
import { readEvent } from '../parts/read-stdin.ts';
import { type Relayed, timeToRead, unjudged } from '../../hosts/relay/relay-event.ts';
import { leaveStamp } from '../../hosts/relay/last-seen.ts';
import { cutOff, eventOf, judgeEvent, lostLine, outputOf } from './judge-event.ts';
import type { RelayOptions } from './relay-options.ts';

/**
 * Acts as one hook of a host for all our hooks: takes its event through them, answers as the host expects,
 * and returns how many ran.
 */
export async function relay(
  asked: Host,
  named: string | undefined,
  options: RelayOptions,
): Promise<number> {
  const within = timeToRead(asked, await asked.speak(), named);
  const input = await readEvent(within === undefined ? undefined : within - sinceStart());
  const known = await eventOf(asked, named, input);
  if ('silence' in known) {
    give(known.silence, false);
    return 0;
  }
  const isGuarded = mustBeJudged(known);
  const isAnswered = denyAtExit((error) => {
    if (isGuarded) give(unjudged(known, error, warnAtOnce), isGuarded);
  });
  try {
    const { begun = [] } = options;
    const relayed =
      isGuarded && begun.length > 0
        ? cutOff(known, begun)
        : await judgeEvent(known, { ...options, asked, waited: sinceStart() });
    give(relayed, isGuarded);
    leaveStamp(known.host.name, known.event, {
      ms: sinceStart(),
      hooks: relayed.hooksTook ?? 0,
      isWarm: false,
    });
    if (options.warm !== undefined) (await import('./start-warm.ts')).startWarm(options.warm);
    if (!relayed.isLate) return relayed.hookCount;
  } finally {
    isAnswered();
  }
  // What still runs ends with this process.
  process.exit();
}

/** How long this process has been running, in ms; its host has waited since then. */
const sinceStart = (): number => process.uptime() * 1_000;

/** Prints the answer. One that must reach the host, and cannot, becomes an exit status. */
function give(relayed: Relayed, isGuarded: boolean): void {
  const lost = (error: unknown): void => {
    process.exitCode = unanswered;
    warnAtOnce(lostLine(relayed, error));
  };
  try {
    const { text, exitCode } = outputOf(relayed);
    process.exitCode = exitCode;
    if (text !== undefined) print(text, isGuarded ? lost : undefined);
  } catch (error) {
    if (!isGuarded) throw error;
    lost(error);
  }
}
