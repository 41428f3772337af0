import type { Runtime } from './types.ts';

/** A tool call that the user is asked about. */
interface Question {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly reason?: string | undefined;
}

/** Interrupts a graph until its user has answered. */
type Interrupt = (value: unknown) => unknown;

/** Whether a graph can ask its user: it must keep its state until the answer comes. */
export const canAsk = ({ configurable, interrupt }: Runtime): boolean =>
  typeof interrupt === 'function' && Boolean(configurable?.['__pregel_checkpointer']);

/**
 * Asks the user of a graph whether a tool may run, in the format of LangChain's human-in-the-loop middleware.
 * Throws the interrupt the first time, and returns the answer once the graph is resumed; a text says why the
 * tool may not run.
 */
export function askInGraph(
  { interrupt }: Runtime,
  { name, input, reason }: Question,
): boolean | string {
  const description = reason ?? `A hook wants the user to be asked about ${name}.`;
  return readAnswer(
    (interrupt as Interrupt)({
      actionRequests: [{ name, args: input, description }],
      reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'reject'] }],
    }),
  );
}

function readAnswer(answer: unknown): boolean | string {
  if (typeof answer !== 'object' || answer === null) return answer === true || answer === 'approve';
  const { decisions, type, message } = answer as Readonly<Record<string, unknown>>;
  if (Array.isArray(decisions)) return readAnswer(decisions[0]);
  if (type === 'approve') return true;
  return typeof message === 'string' ? message : false;
}

/** Whether a thrown value is for the graph, which then waits for its user or ends. */
export const isGraphSignal = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'is_bubble_up' in error &&
  error.is_bubble_up === true;
