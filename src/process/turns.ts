import { availableParallelism } from 'node:os';

/*
 * How many hooks run at once.
 *
 * Hooks wait more than they compute: for a server, for a lock, for a model. A limit of one per core
 * would let two slow servers hold up every guard behind them. None at all would let a thousand tool
 * calls start a thousand shells, which makes each of them miss its deadline. So there are several
 * per core, and on small machines still more than the hooks of one event.
 */

const perCore = 4;
const fewest = 16;

let running = 0;
const waiting: (() => void)[] = [];
let next: NodeJS.Immediate | undefined;
let refused: string | undefined;

/**
 * Begins a hook as soon as fewer of them run than may, in the order of asking; `begin` is called
 * with what ends its turn. Returns what ends the turn too, be it taken or still awaited.
 *
 * The limit is the environment variable `HOOKMACHINE_HOOK_LIMIT`, by default 4 for each core and at
 * least 16. It counts this process's hooks only, so that a hook may itself run `hookmachine fire`.
 */
export function takeTurn(begin: (end: () => void) => void): () => void {
  let state: 'waiting' | 'taken' | 'over' = 'waiting';
  const take = (): void => {
    state = 'taken';
    running++;
    begin(end);
  };
  const end = (): void => {
    if (state === 'waiting') waiting.splice(waiting.indexOf(take), 1);
    if (state === 'taken') running--;
    state = 'over';
    next ??= setImmediate(beginNext);
  };
  if (waiting.length === 0 && running < limit()) take();
  else waiting.push(take);
  return end;
}

/** Begins the hook that has waited longest, and sees to the others in a later turn: starting blocks the host, and answers are to be heard in between. */
function beginNext(): void {
  next = undefined;
  if (waiting.length === 0 || running >= limit()) return;
  waiting.shift()!();
  next ??= setImmediate(beginNext);
}

function limit(): number {
  const wanted = process.env['HOOKMACHINE_HOOK_LIMIT'];
  if (wanted !== undefined && /^[1-9]\d*$/.test(wanted)) return Number(wanted);
  if (wanted !== undefined && wanted !== '' && wanted !== refused) {
    refused = wanted;
    process.emitWarning(
      `HOOKMACHINE_HOOK_LIMIT is "${wanted}": set it to a whole number of at least 1, or unset it.`,
    );
  }
  return Math.max(fewest, perCore * availableParallelism());
}
