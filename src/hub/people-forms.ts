import { HookmachineError } from '../base/errors.ts';
import { timeIn } from '../durable/settings.ts';
import { type Person, type Role, roles } from './known.ts';
import type { Members } from './members.ts';
import type { PersonScope } from './person-scope.ts';
import { refused } from './refused.ts';

/**
 * The people of whom an administrator sees something: those who may do something in workspaces that they administer,
 * with that alone.
 */
export async function peopleFor(
  members: Members,
  administrator: PersonScope,
): Promise<readonly Person[]> {
  const people = await members.people();
  return people
    .filter(({ removedAt }) => removedAt === undefined)
    .map((one) => ({
      ...one,
      grants: one.grants.filter(({ workspace }) => administrator.rules(workspace)),
    }))
    .filter(({ grants }) => grants.length > 0);
}

/**
 * Does what an administrator's form asks for: adds a person whom nobody knows, grants something, or takes it back.
 * What people may do elsewhere, and how they sign in, is the operator's to change.
 *
 * @throws {HookmachineError} `HUB_REFUSED`, `ARGUMENT_INVALID`
 */
export async function changePeople(
  members: Members,
  administrator: PersonScope,
  form: URLSearchParams,
): Promise<void> {
  const given = (field: string): string => (form.get(field) ?? '').trim();
  if (!administrator.isAdministrator) throw refused(`${administrator.name} administers nothing`);
  const [person, by] = [given('person'), administrator.name];
  if (given('action') === 'add')
    return members.addNewPerson({ name: person, email: given('email') || undefined, by });
  const [workspace, role] = [given('workspace'), roleIn(given('role'))];
  if (!administrator.rules(workspace))
    throw refused(`${by} does not administer the workspace ${workspace}`);
  if (given('action') === 'take-back') {
    await members.takeBack({ person, workspace, role });
    return;
  }
  const lasts = given('lasts') === '' ? undefined : lastingIn(given('lasts'));
  await members.grant({ person, workspace, role, by, lasts });
}

function roleIn(text: string): Role {
  const role = roles.find((one) => one === text);
  if (role !== undefined) return role;
  throw new HookmachineError('ARGUMENT_INVALID', `Choose one of ${roles.join(', ')}.`);
}

function lastingIn(text: string): number {
  const ms = timeIn(text);
  if (ms !== undefined) return ms;
  throw new HookmachineError('ARGUMENT_INVALID', 'Write how long as a time such as 7d or 4h.');
}
