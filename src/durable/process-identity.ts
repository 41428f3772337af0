import { readFileSync, readlinkSync } from 'node:fs';
import { isProcOurs, statOf } from '../handlers/process/index.ts';

/**
 * Identifies this process among all processes of all machines. Another process of the same user on the same
 * machine can tell whether it is still running. Undefined where the system does not say.
 */
export function ownIdentity(): string | undefined {
  const place = ownPlace();
  const stat = place === undefined ? undefined : statOf(process.pid);
  return stat && `${place} ${process.pid} ${stat.startedAt}`;
}

/**
 * Whether a process is running, as far as this one can know: it was started on this machine, by this user and
 * among the same numbers.
 */
export function stateOf(identity: string | null): 'running' | 'ended' | 'unknown' {
  const place = ownPlace();
  if (identity === null || place === undefined || !identity.startsWith(`${place} `)) return 'unknown'; // prettier-ignore
  const [pid, startedAt] = identity
    .slice(place.length + 1)
    .split(' ')
    .map(Number);
  const stat = statOf(pid!);
  const isSame = stat !== undefined && stat.startedAt === startedAt && !/^[ZX]/.test(stat.state);
  return isSame ? 'running' : 'ended';
}

let place: string | false | undefined;

/** The start of this machine's system, this process's namespace of numbers, and its user. */
function ownPlace(): string | undefined {
  place ??= readPlace() ?? false;
  return place === false ? undefined : place;
}

function readPlace(): string | undefined {
  if (!isProcOurs()) return undefined;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${process.getuid?.()}`;
  } catch {
    return undefined;
  }
}
