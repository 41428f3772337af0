import type { AskedApproval, PageAnswerOutcome, RecordedAnswer } from '../approvals-source.ts';
import { visible } from '../../../base/visible.ts';
import { type AsJson, asked } from './ask-server.ts';
import { showLegs } from './call-legs.ts';
import { make } from './dom.ts';
import { longSpan } from './format.ts';
import { tableOf } from './table.ts';
import type { View } from './view.ts';

type Asked = AsJson<AskedApproval>;

/** The card of one question. */
export class ApprovalCard {
  readonly element: HTMLElement;
  /** Whether it was answered here or is about to be: its outcome must stay readable. */
  isHeld = false;
  readonly #id: string;
  readonly #digest: string;
  readonly #name: HTMLInputElement;
  readonly #age = make('span', { class: 'hush' });
  readonly #note = make('input', {
    type: 'text',
    'aria-label': 'Note',
    placeholder: 'Note (shown to the model if denied)',
    maxlength: 2_000,
  });
  readonly #form: HTMLElement;
  readonly #outcome = make('p', { class: 'outcome', role: 'status' });
  readonly #legs = make('details', {}, make('summary', {}, 'Legs, hosts and effects'));
  readonly #showLegs: () => void;

  constructor(approval: Asked, view: View, name: HTMLInputElement) {
    const { id, call, tool, workspace, session, shown, digest, reason, hooks } = approval;
    this.#id = id;
    this.#digest = digest;
    this.#name = name;
    const button = (text: string, decision: string): HTMLElement =>
      make(
        'button',
        { type: 'button', class: `quiet ${decision}`, onclick: () => void this.#answer(decision) },
        text,
      );
    this.#form = make(
      'div',
      { class: 'answering' },
      this.#note,
      button('Approve', 'approve'),
      button('Deny', 'deny'),
      button('Withdraw', 'withdraw'),
    );
    const legs = make('div');
    this.#legs.append(legs);
    this.#showLegs = () => {
      if (this.#legs.open) void showLegs(legs, call, view);
    };
    this.#legs.addEventListener('toggle', this.#showLegs);
    this.element = make(
      'article',
      { class: 'approval', data: { approval: id }, 'aria-label': `${id}, ${visible(tool)}` },
      make('h3', {}, make('span', {}, id), make('strong', {}, visible(tool)), this.#age),
      make(
        'p',
        {},
        `asked by ${askers(hooks) || 'a hook'}`,
        reason !== undefined && `: ${visible(reason)}`,
      ),
      make(
        'pre',
        { class: 'shown', tabindex: '0', role: 'group', 'aria-label': 'Arguments' },
        visible(shown),
      ),
      make(
        'p',
        { class: 'hush' },
        `call ${visible(call)} · workspace ${visible(workspace)}`,
        session !== undefined && ` · session ${visible(session)}`,
        ` · sha256 ${digest.slice(0, 12)}`,
      ),
      hooks.length > 0 && hooksTable(hooks),
      this.#form,
      this.#outcome,
      this.#legs,
    );
    this.update(approval);
  }

  update({ askedAt, expiresAt, answer }: Asked): void {
    const asking = `asked ${longSpan(Date.now() - Date.parse(askedAt))} ago`;
    this.#age.textContent = answer
      ? asking
      : `${asking}, expires in ${longSpan(Date.parse(expiresAt) - Date.now())}`;
    this.#age.title = `${askedAt} to ${expiresAt}`;
    this.#showLegs();
    if (!answer) return;
    this.#form.hidden = true;
    if (this.#outcome.textContent === '') this.#outcome.textContent = answered(answer);
  }

  async #answer(decision: string): Promise<void> {
    const by = this.#name.value.trim();
    if (by === '') {
      this.#outcome.textContent = 'Enter your name above.';
      return this.#name.focus();
    }
    const note = this.#note.value.trim();
    const body = JSON.stringify({
      id: this.#id,
      digest: this.#digest,
      decision,
      by,
      ...(note !== '' && { note }),
    });
    this.isHeld = true;
    try {
      const outcome = await asked<PageAnswerOutcome>('approvals/answer', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      this.#form.hidden = true;
      this.#outcome.textContent = outcome.accepted
        ? `Your answer counts: ${{ approve: 'approved', deny: 'denied' }[decision] ?? 'withdrawn'} by ${visible(by)}.`
        : `Your answer does not count: it was ${answered(outcome.was)}`;
    } catch (error) {
      this.#outcome.textContent = `It was not answered: ${(error as Error).message}`;
    }
  }
}

function answered({ decision, by, role, note, at }: AsJson<RecordedAnswer>): string {
  const who = by === undefined ? '' : ` by ${visible(by)}`;
  const as = role === undefined ? '' : ` (role ${visible(role)})`;
  const why = note === undefined ? '' : `: ${visible(note)}`;
  return `${decision}${who}${as} at ${at}${why}`;
}

const askers = (hooks: Asked['hooks']): string =>
  hooks
    .filter(({ decision }) => decision === 'ask')
    .map(({ hook, source }) => `${visible(hook)} (${visible(source)})`)
    .join(', ');

const hooksTable = (hooks: Asked['hooks']): HTMLElement =>
  tableOf(
    'Hooks',
    ['Hook', 'From', 'GivenReasons', 'Why'],
    hooks.map(({ hook, source, dialect, decision, status, reason = '' }) => [
      hook,
      `${source}, ${dialect}`,
      decision ?? status ?? 'nothing',
      reason,
    ]),
  );
