import { visible } from '../base/visible.ts';
import type { FleetAgent, FleetMachine, FleetReport } from './fleet.ts';
import { type Html, html } from './html.ts';
import type { Machine } from './known.ts';
import { page } from './pages.ts';
import { type Cell, table } from './table.ts';
import type { PersonScope } from './person-scope.ts';

/** The machines that share a workspace with a person, what runs there, and what was denied and failed. */
export const machinesPage = (person: PersonScope, { machines, audit }: FleetReport): string =>
  page(
    'Machines',
    person,
    machines.length === 0
      ? html`<p>There are no machines in your workspaces.</p>`
      : html`${table(
            ['Machine', 'State', 'Owner', 'Release', 'Last seen', 'Policies', 'Agents'],
            machines.map((one) => machineCells(one, person)),
          )}
          <h2>Denied</h2>
          ${
            audit.denials.length === 0
              ? html`<p>Nothing was denied in the records that have arrived.</p>`
              : table(
                  ['Times', 'Who', 'What', 'By', 'Why'],
                  audit.denials.map(({ count, user, host, what, by, lastReason = '' }) => [
                    count,
                    `${user} on ${host}`,
                    what,
                    by,
                    lastReason,
                  ]),
                )
          }
          <h2>Failed or skipped</h2>
          ${
            audit.failures.length === 0
              ? html`<p>No guard failed in the records that have arrived.</p>`
              : table(
                  ['Times', 'Guard', 'Machine', 'Why'],
                  audit.failures.map(({ count, hook, host, status, lastError = '' }) => [
                    count,
                    hook,
                    host,
                    `${status} ${lastError}`,
                  ]),
                )
          }`,
  );

const machineCells = (machine: FleetMachine, person: PersonScope): readonly Cell[] => [
  machine.name,
  machine.revokedAt === undefined && person.administers(machine)
    ? html`${stateOf(machine)} ${revoking(machine)}`
    : stateOf(machine),
  machine.owner ?? '',
  machine.version ?? '',
  machine.seenAt?.toISOString() ?? 'never',
  machine.policies.join(', '),
  machine.agents.length === 0
    ? ''
    : html`<ul>
        ${machine.agents.map(agentItem)}
      </ul>`,
];

const revoking = ({ name }: Machine): Html =>
  html`<details>
    <summary>Revoke</summary>
    <form method="post" action="/machines/${name}/revoke">
      <button>Revoke ${name}</button>
    </form>
  </details>`;

const agentItem = ({ agent, version, findings }: FleetAgent): Html =>
  html`<li>
    ${visible(agent)} ${version === undefined ? '' : visible(version)}:
    ${findings.length === 0 ? 'guarded' : findings.map(({ message }) => visible(message)).join('; ')}
  </li>`;

/** What has become of a machine, in a word. */
export const stateOf = ({ revokedAt, enrolledAt }: Machine): string =>
  revokedAt ? 'revoked' : enrolledAt ? 'enrolled' : 'invited';
