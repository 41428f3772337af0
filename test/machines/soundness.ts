import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { nodesOf, transitionsOf } from '../../visualizations/walk.ts';

/**
 * Finds what a compiler lets through: every name that a machine uses but does not have, and every text that
 * is missing.
 */
export function findings(machine: AnyStateMachine): string[] {
  const reachable = reachableFrom(machine.root);
  return nodesOf(machine).flatMap((node) =>
    [
      ...descriptionFindings(node),
      ...initialFindings(node),
      ...delayFindings(node),
      ...invokeFindings(node),
      ...guardFindings(node),
      ...actionFindings(node),
      ...outputFindings(node),
      ...(reachable.has(node) ? [] : ['nothing leads here']),
    ].map((finding) => `${node.id}: ${finding}`),
  );
}

const descriptionFindings = ({ description }: AnyStateNode): string[] =>
  description?.trim() ? [] : ['no description'];

function initialFindings({ type, config, states }: AnyStateNode): string[] {
  if (type !== 'compound') return [];
  const name = initialName(config);
  return Object.hasOwn(states, name) ? [] : [`no initial state "${name}"`];
}

/** A mistyped delay fires at once. */
function delayFindings(node: AnyStateNode): string[] {
  const delays = Object.keys(node.config.after ?? {}).filter((delay) =>
    Number.isNaN(Number(delay)),
  );
  return unknownNames('delay', delays, node.machine.implementations.delays);
}

/** Without an id the names of its events change; without `onError` its error ends the machine. */
function invokeFindings({ config, machine }: AnyStateNode): string[] {
  const invokes = listOf<{ id?: string; src?: unknown; onError?: unknown }>(config.invoke);
  const names = invokes.map(({ src }) => (typeof src === 'string' ? src : inline));
  return [
    ...invokes.filter(({ id }) => id === undefined).map(() => 'invoke without id'),
    ...invokes.filter(({ onError }) => onError === undefined).map(() => 'invoke without onError'),
    ...unknownNames('actor', names, machine.implementations.actors),
  ];
}

function guardFindings(node: AnyStateNode): string[] {
  const names = transitionsOf(node).flatMap(({ guard }) => guardNames(guard));
  return unknownNames('guard', names, node.machine.implementations.guards);
}

function actionFindings(node: AnyStateNode): string[] {
  const initial =
    node.type === 'compound' && initialFindings(node).length === 0 ? node.initial : undefined;
  const names = [
    ...node.entry,
    ...node.exit,
    ...(initial?.actions ?? []),
    ...transitionsOf(node).flatMap(({ actions }) => actions),
  ].flatMap(actionNames);
  return unknownNames('action', names, node.machine.implementations.actions);
}

/** The outcome of a machine is the output of the final state in which it ends. */
function outputFindings({ type, parent, config, machine }: AnyStateNode): string[] {
  const owesOutcome = type === 'final' && parent === machine.root && machine.config.output;
  return owesOutcome && config.output === undefined ? ['no output'] : [];
}

function reachableFrom(root: AnyStateNode): Set<AnyStateNode> {
  const reached = new Set<AnyStateNode>();
  const reach = (node: AnyStateNode): void => {
    if (reached.has(node)) return;
    reached.add(node);
    if (node.parent) reach(node.parent);
    startsOf(node).forEach(reach);
    for (const { target } of transitionsOf(node)) target?.forEach(reach);
  };
  reach(root);
  return reached;
}

function startsOf({ type, config, states }: AnyStateNode): AnyStateNode[] {
  if (type === 'parallel') return Object.values(states);
  const initial = states[initialName(config)];
  return initial ? [initial] : [];
}

const initialName = ({ initial }: AnyStateNode['config']): string =>
  String(typeof initial === 'object' ? initial.target : initial);

/** `and`, `or` and `not` name others; any other function has no name that a diagram could show. */
function guardNames(guard: unknown): string[] {
  if (guard === undefined) return [];
  if (typeof guard === 'string') return [guard];
  const { type, guards } = guard as { type?: string; guards?: unknown[] };
  return guards ? guards.flatMap(guardNames) : [type ?? inline];
}

/** XState's own actions are functions that carry their type. */
function actionNames(action: unknown): string[] {
  if (typeof action === 'string') return [action];
  const { type } = action as { type?: string };
  return typeof action === 'function' && type !== undefined ? [] : [type ?? inline];
}

const unknownNames = (kind: string, names: readonly string[], known: object): string[] =>
  [...new Set(names)]
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => (name === inline ? `${kind} without a name` : `no ${kind} "${name}"`));

const inline = '(inline)';

const listOf = <T>(value: unknown): T[] => (value === undefined ? [] : ([value].flat() as T[]));
