import type { CallTrail, TrailedEffect } from '../approvals-source.ts';
import { visible } from '../../../base/visible.ts';
import { type AsJson, asked } from './ask-server.ts';
import { make, theOne } from './dom.ts';
import { counted, duration } from './format.ts';
import { tableOf } from './table.ts';
import type { View } from './view.ts';

/** Shows what was done for a call, and by which host: before the question, and after its answer. */
export async function showLegs(box: HTMLElement, id: string, view: View): Promise<void> {
  try {
    const { call, effects, approval, policy } = await asked<CallTrail>(
      `approvals/call?${new URLSearchParams({ id }).toString()}`,
    );
    const answeredAt = approval?.answer?.at ?? '9';
    const legOf = ({ startedAt }: AsJson<TrailedEffect>): string =>
      startedAt > answeredAt ? 'after the answer' : 'before';
    const row = view.runs.rows.find(({ started }) => started?.callId === id);
    const show = (): void => {
      theOne('dialog', 'approvals-dialog').close();
      view.choose(row, true);
    };
    const parts = [
      make(
        'p',
        {},
        `${visible(call.id)} has ${call.status === 'ended' ? 'ended' : `the status ${call.status}`}. It was submitted at ${call.submittedAt} and started ${counted(call.attempts, 'time')}.`,
        policy.judged !== undefined && ` Judged by policy ${digest(policy.judged)}`,
        policy.resumed !== undefined && `, resumed with ${digest(policy.resumed)}`,
      ),
      row && make('button', { type: 'button', class: 'link', onclick: show }, 'Show its hooks'),
      tableOf(
        'Effects',
        ['Leg', 'Begun', 'What', 'Host', 'Took', 'Ended'],
        effects.map((effect) => [
          legOf(effect),
          effect.startedAt,
          effect.name,
          `${effect.host} (${effect.pid})`,
          effect.endedAt === undefined
            ? ''
            : duration(Date.parse(effect.endedAt) - Date.parse(effect.startedAt)),
          endOf(effect),
        ]),
      ),
    ];
    box.replaceChildren(...parts.filter((part) => part !== undefined));
  } catch (error) {
    box.replaceChildren(make('p', {}, `It cannot be read: ${(error as Error).message}`));
  }
}

const digest = (text: string): string => text.slice(0, 12);

function endOf({ endedAt, outcome }: AsJson<TrailedEffect>): string {
  if (endedAt === undefined) return 'unknown';
  const { status, exit, error } = (outcome ?? {}) as {
    readonly status?: string;
    readonly exit?: { readonly exitCode: number | null; readonly signal: string | null };
    readonly error?: { readonly message?: string; readonly type?: string };
  };
  if (status === 'exited') return `exit ${exit?.exitCode ?? exit?.signal}`;
  return error?.type ?? error?.message ?? status ?? 'ran';
}
