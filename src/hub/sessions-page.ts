import { visible } from '../base/visible.ts';
import { html } from './html.ts';
import { page, when } from './pages.ts';
import type { PersonScope } from './person-scope.ts';
import type { RecordedSession } from './recordings.ts';
import { table } from './table.ts';

/** The sessions that agents had on the machines of a person's workspaces. */
export const sessionsPage = (
  person: PersonScope,
  sessions: readonly RecordedSession[],
  { isDenied, next }: { readonly isDenied: boolean; readonly next: Date | undefined },
): string =>
  page(
    isDenied ? 'Sessions with denials' : 'Sessions',
    person,
    html`<p>
        ${isDenied ? html`<a href="/sessions">All sessions</a>` : html`<a href="/sessions?denied">Only those with denials</a>`}
      </p>
      ${
        sessions.length === 0
          ? html`<p>
              No recordings of sessions have arrived. Machines send them with
              <code>hookmachine hub send</code>.
            </p>`
          : table(
              ['Session', 'Machine', 'Who', 'Project', 'Calls', 'Denied', 'Until'],
              sessions.map((one) => [
                html`<a href="/sessions/${one.id}"
                  >${visible(one.session.slice(0, 40)) || 'without an id'}</a
                >`,
                one.machine,
                one.person ?? '',
                one.project ?? '',
                one.calls,
                one.denied,
                when(one.last_at),
              ]),
            )
      }
      ${
        next &&
        html`<p>
          <a href="/sessions?before=${next.toISOString()}${isDenied ? '&denied' : ''}"
            >Older ones</a
          >
        </p>`
      }`,
  );
