import { isRecord } from '../../base/json.ts';
import type { EntityName, PolicyRequest, PolicyValue } from './engine.ts';

/** How policies that were written for another product name who does what to what. */
export interface RequestNames {
  readonly principal?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
}

/** Splits an entity's name in Cedar's notation: `Acme::Tool::"x"`. */
export const entityNamed = (text: string): EntityName | undefined => {
  const { type, id } = /^(?<type>\w+(?:::\w+)*)::"(?<id>[^]*)"$/.exec(text)?.groups ?? {};
  return type === undefined ? undefined : { type, id: id! };
};

/**
 * Returns the question about the whole event under other names. Policies of other products find a call's
 * arguments where these have them: as `input`, and each as `arg_NAME`, of the resource and of the context.
 */
export function asMapped(
  [whole]: readonly PolicyRequest[],
  names: RequestNames,
): readonly PolicyRequest[] {
  if (whole === undefined) return [];
  const { context, entities } = whole;
  const [agent] = entities;
  const resource = entities.find(({ uid }) => uid.type === whole.resource.type && uid.id === whole.resource.id)!; // prettier-ignore
  const values: Readonly<Record<string, unknown>> = {
    ...agent?.attrs,
    agent: agent?.uid.id,
    tool: context['tool'] ?? whole.resource.id,
    server: resource.attrs['server'],
    point: context['point'],
    event: context['event'],
  };
  const filled = (template: string | undefined, usual: EntityName): EntityName => {
    const text = template?.replaceAll(/\{(\w+)\}/g, (all, name: string) => {
      const value = values[name];
      return typeof value === 'string' ? value : all;
    });
    return (text === undefined ? undefined : entityNamed(text)) ?? usual;
  };
  const principal = filled(names.principal, whole.principal);
  const named = filled(names.resource, whole.resource);
  const input = isRecord(context['input']) ? (context['input'] as Record<string, PolicyValue>) : {};
  const args = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [`arg_${key}`, value]),
  );
  return [
    {
      ...whole,
      principal,
      action: filled(names.action, whole.action),
      resource: named,
      context: { ...context, ...args },
      entities: [
        { uid: principal, attrs: agent?.attrs ?? {}, parents: agent?.parents ?? [] },
        ...entities.slice(1).filter((one) => one !== resource),
        { ...resource, uid: named, attrs: { ...resource.attrs, ...args, input } },
      ],
    },
  ];
}
