import type { ListedApprovals } from '../approvals-source.ts';
import { ApprovalCard } from './approval-card.ts';
import { type AsJson, asked } from './ask-server.ts';
import { byId, theOne } from './dom.ts';
import { counted } from './format.ts';
import { kept } from './kept.ts';
import type { View } from './view.ts';

/** How often the page polls for questions, in ms. */
const lookEvery = 2_000;

/** The key under which the browser stores the name of the answerer. */
const nameKey = 'hookmachine-answers-as';

/**
 * The dialog with the questions that durable calls wait for. What they say comes from models and hooks, and
 * is shown as plain text.
 */
export class ApprovalsDialog {
  readonly #view: View;
  readonly #dialog = theOne('dialog', 'approvals-dialog');
  readonly #button = byId('approvals-open');
  readonly #list = byId('approvals');
  readonly #status = byId('approvals-status');
  readonly #name = theOne('input', 'approvals-name');
  readonly #all = theOne('input', 'approvals-all');
  readonly #cards = new Map<string, ApprovalCard>();
  #isOn = false;

  constructor(view: View) {
    this.#view = view;
    this.#name.value = kept(() => localStorage.getItem(nameKey)) ?? '';
    this.#name.addEventListener('change', () =>
      kept(() => localStorage.setItem(nameKey, this.#name.value.trim())),
    );
    this.#all.addEventListener('change', () => void this.#look());
    this.#button.addEventListener('click', () => this.#dialog.showModal());
  }

  /** Starts polling for questions. If the address ends with `#approvals`, they are shown at once. */
  begin(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#button.hidden = false;
    if (location.hash === '#approvals') this.#dialog.showModal();
    void this.#look();
    setInterval(() => {
      if (document.visibilityState === 'visible' && this.#view.isLive) void this.#look();
    }, lookEvery);
  }

  async #look(): Promise<void> {
    try {
      this.#show(await asked<ListedApprovals>(this.#all.checked ? 'approvals?all=1' : 'approvals'));
    } catch (error) {
      this.#status.textContent = `They cannot be read: ${(error as Error).message}`;
    }
  }

  #show({ approvals, count, user }: AsJson<ListedApprovals>): void {
    if (this.#name.value === '' && this.#name !== document.activeElement) this.#name.value = user;
    const waiting = approvals.filter(({ answer }) => !answer).length;
    this.#button.textContent = `Approvals ${waiting}`;
    this.#button.classList.toggle('waiting', waiting > 0);
    this.#status.textContent =
      count > approvals.length
        ? `${counted(approvals.length, 'question')} of ${count.toLocaleString('en')} are shown.`
        : waiting === 0
          ? 'Nothing waits for an answer.'
          : '';
    // A question that was answered here stays, with its outcome, until the dialog is closed.
    const wanted = new Set(approvals.map(({ id }) => id));
    for (const [id, card] of this.#cards)
      if (!wanted.has(id) && !(card.isHeld && this.#dialog.open)) {
        card.element.remove();
        this.#cards.delete(id);
      }
    for (const approval of approvals) {
      const known = this.#cards.get(approval.id);
      if (known) known.update(approval);
      else {
        const card = new ApprovalCard(approval, this.#view, this.#name);
        this.#cards.set(approval.id, card);
        this.#list.append(card.element);
      }
    }
  }
}
