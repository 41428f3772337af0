import type { CallAccount } from '../../watch/journal/account.ts';

/** Returns the calls that the user means: by id if any call has it, since ids may be numbers too. */
export async function findCalls(
  entries: AsyncIterable<CallAccount>,
  wanted: string,
): Promise<CallAccount[]> {
  const byId: CallAccount[] = [];
  const byNumber: CallAccount[] = [];
  const number = Number(wanted.replace(/^#/, ''));
  for await (const call of entries)
    if (call.callId === wanted || call.id === wanted) byId.push(call);
    else if (call.index === number) byNumber.push(call);
  return byId.length > 0 ? byId.toSorted((a, b) => a.index - b.index) : byNumber;
}
