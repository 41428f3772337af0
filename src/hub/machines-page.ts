import { visible } from '../base/visible.ts';
import { html } from './html.ts';
import type { Machine } from './members.ts';
import { page } from './pages.ts';
import type { PersonScope } from './person-rules.ts';

/** The machines that share a workspace with a person. */
export function machinesPage(person: PersonScope, machines: readonly Machine[]): string {
  const seen = machines.filter(({ workspaces }) => workspaces.some((one) => person.mayShare(one)));
  return page(
    'Machines',
    person,
    seen.length === 0
      ? html`<p>There are no machines in your workspaces.</p>`
      : html`<div class="scroll">
          <table>
            <thead>
              <tr>
                <th>Machine</th>
                <th>Workspaces</th>
                <th>Owner</th>
                <th>Release</th>
                <th>Last seen</th>
                <th>State</th>
              </tr>
            </thead>
            <tbody>
              ${seen.map(
                (one) =>
                  html`<tr>
                    <td>${one.name}</td>
                    <td>${visible(one.workspaces.join(', '))}</td>
                    <td>${one.owner ?? ''}</td>
                    <td>${one.version ?? ''}</td>
                    <td>${one.seenAt?.toISOString() ?? 'never'}</td>
                    <td>${stateOf(one)}</td>
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>`,
  );
}

/** What has become of a machine, in a word. */
export const stateOf = ({ revokedAt, enrolledAt }: Machine): string =>
  revokedAt ? 'revoked' : enrolledAt ? 'enrolled' : 'invited';
