import type { Approval } from '../durable/approvals.ts';
import { visible } from '../base/visible.ts';
import type { Vote } from './answer-as.ts';
import { isEncrypted } from '../durable/encrypted-store.ts';
import { type Html, html } from './html.ts';
import type { PersonScope } from './person-scope.ts';

/** The style of all pages. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d0d0d8, #3c3c46); --dim: light-dark(#5a5a66, #a5a5b0);
  --accent: light-dark(#0b57d0, #8ab4f8); --bad: light-dark(#b3261e, #f2b8b5); }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; border-bottom: 1px solid var(--line); padding-bottom: .5rem; }
header nav { flex: 1; display: flex; flex-wrap: wrap; gap: 1rem; }
a { color: var(--accent); }
pre { overflow: auto; max-height: 30rem; padding: .75rem; border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.dim { color: var(--dim); }
.problem { color: var(--bad); }
button { font: inherit; padding: .5rem 1rem; min-height: 2.75rem; }
input, textarea { font: inherit; width: 100%; padding: .5rem; }
form.plain { display: inline; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
`;

/** A whole page. */
export const page = (title: string, person: PersonScope | undefined, content: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – hookmachine</title>
        <link rel="stylesheet" href="/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header>
          <strong>hookmachine</strong>
          ${
            person &&
            html`<nav aria-label="Pages">
                <a href="/">Questions</a> <a href="/?all">Answered</a>
                <a href="/sessions">Sessions</a> <a href="/machines">Machines</a>
                ${person.isAdministrator && html`<a href="/people">People</a>`}
              </nav>
              <span class="dim">${person.name}</span>
              <form class="plain" method="post" action="/sign-out"><button>Sign out</button></form>`
          }
        </header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text;

/** Where people sign in. */
export const signInPage = (hasProvider: boolean, to: string, problem?: string): string =>
  page(
    'Sign in',
    undefined,
    html`${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
      ${hasProvider && html`<p><a href="/sign-in/provider?to=${encodeURIComponent(to)}">Sign in with your account</a></p>`}
      <form method="post" action="/sign-in">
        <input type="hidden" name="to" value="${to}" />
        <p>
          <label for="token">Token, as the operator of this hub gave it to you</label>
          <input id="token" name="token" type="password" autocomplete="current-password" required />
        </p>
        <button>Sign in with the token</button>
      </form>`,
  );

/** A time, as pages show it. */
export const when = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}"
    >${date.toISOString().replace('T', ' ').slice(0, 16)} UTC</time
  >`;

/** The questions of a person's workspaces. */
export const listPage = (
  person: PersonScope,
  approvals: readonly Approval[],
  {
    count,
    isAll,
    next,
  }: { readonly count: number; readonly isAll: boolean; readonly next?: string | undefined },
): string =>
  page(
    isAll ? 'Answered questions' : 'Questions',
    person,
    approvals.length === 0
      ? html`<p>${isAll ? 'Nothing was answered yet.' : 'Nothing waits for an answer.'}</p>`
      : html`<p class="dim">${count} in total</p>
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th>Question</th>
                  <th>Tool</th>
                  <th>Why</th>
                  <th>Workspace</th>
                  <th>Asked</th>
                  <th>${isAll ? 'Answer' : 'Expires'}</th>
                </tr>
              </thead>
              <tbody>
                ${approvals.map(
                  (one) =>
                    html`<tr>
                      <td><a href="/approvals/${one.id}">${one.id}</a></td>
                      <td>${visible(one.tool)}</td>
                      <td>${visible(one.reason ?? '')}</td>
                      <td>${visible(one.workspace)}</td>
                      <td>${when(one.askedAt)}</td>
                      <td>
                        ${one.answer ? `${one.answer.decision} by ${visible(one.answer.by ?? 'nobody')}` : when(one.expiresAt)}
                      </td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>
          ${next !== undefined && html`<p><a href="/?${isAll && 'all&'}after=${next}">More</a></p>`}`,
  );

/** One question, with what is needed to answer it. */
export function approvalPage(
  person: PersonScope,
  approval: Approval,
  {
    votes,
    missing,
    problem,
  }: {
    readonly votes: readonly Vote[];
    readonly missing: number;
    readonly problem: string | undefined;
  },
): string {
  const { id, tool, workspace, machine, session, call, reason, hooks, answer } = approval;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Tool', tool],
    ['Why', reason],
    ['Risk', approval.risk],
    ['Workspace', workspace],
    ['Machine', machine],
    ['Session', session],
    ['Call', call],
    ['Digest', approval.digest],
  ];
  return page(
    id,
    person,
    html`${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
      <dl>
        ${facts.map(
          ([name, value]) =>
            value !== undefined &&
            html`<dt>${name}</dt>
              <dd>${visible(value)}</dd>`,
        )}
        <dt>Asked</dt>
        <dd>${when(approval.askedAt)}</dd>
        <dt>Expires</dt>
        <dd>${when(approval.expiresAt)}</dd>
      </dl>
      <h2>Arguments</h2>
      ${isEncrypted(approval.shown) ? html`<p>They are encrypted, and this hub has no key: approve the question where the key is.</p>` : html`<pre>${visible(indented(approval.shown))}</pre>`}
      ${
        approval.edited !== undefined &&
        html`<h2>Approved with</h2>
          <pre>${visible(indented(approval.edited))}</pre>`
      }
      ${
        hooks.length > 0 &&
        html`<h2>What the hooks said</h2>
          <ul>
            ${hooks.map(({ hook, source, decision, reason: why }) => html`<li>${visible(hook)} (${source}): ${decision ?? 'nothing'}${why !== undefined && ` – ${visible(why)}`}</li>`)}
          </ul>`
      }
      ${!answer && missing > 0 && (votes.length > 0 || missing > 1) && html`<p>${votes.length > 0 && `${votes.map((vote) => vote.person).join(', ')} approved it. `}It needs ${missing} more ${missing === 1 ? 'approval' : 'approvals'}.</p>`}
      ${answer ? answered(answer) : person.answers(workspace) ? form(approval) : html`<p>You may not answer questions of this workspace.</p>`}`,
  );
}

const answered = ({ decision, by, note, at }: NonNullable<Approval['answer']>): Html =>
  html`<h2>Answer</h2>
    <p>
      ${decision}${by !== undefined && ` by ${visible(by)}`},
      ${when(at)}${note !== undefined && `: ${visible(note)}`}
    </p>`;

const form = ({ id, digest }: Approval): Html =>
  html`<h2>Your answer</h2>
    <form method="post" action="/approvals/${id}">
      <input type="hidden" name="digest" value="${digest}" />
      <p>
        <label for="note">Note; if you deny the call, the model reads it</label>
        <textarea id="note" name="note" rows="3" maxlength="10000"></textarea>
      </p>
      <details>
        <summary>Approve other arguments</summary>
        <p>
          <label for="input"
            >As a JSON object; the hooks judge them before the tool gets them</label
          >
          <textarea id="input" name="input" rows="6" spellcheck="false"></textarea>
        </p>
      </details>
      <button name="decision" value="approve">Approve</button>
      <button name="decision" value="deny">Deny</button>
    </form>`;

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}

/** A page that only says something. */
export const plainPage = (title: string, person: PersonScope | undefined, text: string): string =>
  page(title, person, html`<p>${text}</p>`);
