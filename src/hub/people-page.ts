import { visible } from '../base/visible.ts';
import { type Html, html } from './html.ts';
import { type Grant, type Person, roles } from './known.ts';
import { page } from './pages.ts';
import type { PersonScope } from './person-scope.ts';
import { table } from './table.ts';

/** Who may do what in the workspaces that a person administers. */
export const peoplePage = (
  administrator: PersonScope,
  people: readonly Person[],
  problem?: string,
): string =>
  page(
    'People',
    administrator,
    html`${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
      <p>You administer ${administrator.workspaces('administers').map(visible).join(', ')}.</p>
      ${
        people.length === 0
          ? html`<p>Nobody may do anything there yet.</p>`
          : table(
              ['Person', 'Address', 'May'],
              people.map(({ name, email, grants }) => [
                name,
                email ?? '',
                html`<ul>
                  ${grants.map((grant) => grantItem(name, grant))}
                </ul>`,
              ]),
            )
      }
      ${forms}`,
  );

const forms = html`<h2>Grant something</h2>
  <form method="post">
    <input type="hidden" name="action" value="grant" />
    <p>
      <label>Person <input name="person" required /></label>
    </p>
    <p>
      <label
        >Role
        <select name="role">
          ${roles.map((role) => html`<option>${role}</option>`)}
        </select></label
      >
    </p>
    <p>
      <label
        >Workspace; a * at the end stands for all that begin so <input name="workspace" required
      /></label>
    </p>
    <p>
      <label>For how long, such as 7d; empty: until it is taken back <input name="lasts" /></label>
    </p>
    <button>Grant</button>
  </form>
  <h2>Add a person</h2>
  <form method="post">
    <input type="hidden" name="action" value="add" />
    <p>
      <label>Name, as it stands in answers <input name="person" required /></label>
    </p>
    <p>
      <label
        >E-mail address, as your provider of accounts knows it <input name="email" type="email"
      /></label>
    </p>
    <button>Add</button>
  </form>`;

const grantItem = (person: string, { role, workspace, expiresAt }: Grant): Html =>
  html`<li>
    ${role} in ${visible(workspace)}${expiresAt ? ` until ${expiresAt}` : ''}
    <form class="plain" method="post">
      <input type="hidden" name="action" value="take-back" />
      <input type="hidden" name="person" value="${person}" />
      <input type="hidden" name="role" value="${role}" />
      <input type="hidden" name="workspace" value="${workspace}" />
      <button aria-label="Take back from ${person}: ${role} in ${workspace}">Take back</button>
    </form>
  </li>`;
