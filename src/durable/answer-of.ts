import type { Approval } from './approvals.ts';

/**
 * The event that an answered question is to the machine of its call. The model reads who answered, when and
 * why.
 */
export function answerOf({ id, answer, expiresAt }: Approval) {
  const { decision, by = 'somebody', note, at } = answer!;
  const why = note === undefined || note === '' ? '' : `: ${note}`;
  const when = at.toISOString();
  switch (decision) {
    case 'approved':
      return { type: 'answer', approved: true, reason: '' } as const;
    case 'denied':
      return { type: 'answer', approved: false, reason: `Denied by ${by} at ${when}${why}` } as const; // prettier-ignore
    case 'expired':
      return { type: 'expire', reason: `Nobody answered ${id} in time; it expired at ${expiresAt.toISOString()}, and the tool did not run.` } as const; // prettier-ignore
    case 'withdrawn':
      return { type: 'cancel', reason: `Withdrawn by ${by} at ${when}${why}` } as const;
  }
}
