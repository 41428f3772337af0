import { styleText } from 'node:util';
import type { ChatEvent, HookReport } from '../../agent/loop/chat-events.ts';
import { printable } from '../parts/printable.ts';

type Style = Parameters<typeof styleText>[0];

/** Prints a turn for people: what the model says, the tools it uses, and what hooks decided. */
export function turnPrinter(out: NodeJS.WriteStream): (event: ChatEvent) => void {
  const isPlain = !out.isTTY || Boolean(process.env['NO_COLOR']);
  const paint = (style: Style, text: string): string =>
    isPlain ? text : styleText(style, text, { validateStream: false });
  let inText = false;
  const line = (text: string): void => {
    out.write(`${inText ? '\n' : ''}${text}\n`);
    inText = false;
  };
  return (event) => {
    switch (event.type) {
      case 'text':
        out.write(printable(event.text));
        inText = true;
        return;
      case 'toolCall':
        return line(
          `${paint('cyan', '→')} ${oneWord(event.name)} ${printable(JSON.stringify(event.input))}`,
        );
      case 'hookDecision':
        return line(paint('dim', describeDecision(event)));
      case 'toolResult':
        return line(describeResult(event, paint));
      case 'notice':
        return line(printable(event.text));
      case 'answerRejected':
        return line(
          `${paint('yellow', '↺')} a hook asks the agent to continue: ${printable(event.reason)}`,
        );
      case 'followUp':
        return line(`${paint('yellow', '↺')} a hook has more to do: ${printable(event.text)}`);
      case 'promptBlocked':
        return line(`${paint('red', '✗')} a hook blocked the prompt: ${printable(event.reason)}`);
      case 'modelBlocked':
        return line(
          `${paint('red', '✗')} a hook blocked the model call: ${printable(event.reason)}`,
        );
      case 'stop':
        return line(`${paint('yellow', '■')} stopped: ${printable(event.reason)}`);
      case 'suspended':
        for (const { name, approval } of event.approvals)
          line(`${paint('yellow', '■')} ${oneWord(name)} waits for the answer to ${approval}`);
        return;
      case 'error':
        return line(`${paint('red', '✗')} ${printable(event.message)}`);
      case 'cancelled':
        return line(`${paint('yellow', '■')} cancelled: ${printable(event.reason)}`);
      case 'finalAnswer':
        if (inText) out.write('\n');
    }
  };
}

/** The model may have made the name up. */
const oneWord = (name: string): string => printable(name).replaceAll(/\s+/g, ' ');

function describeDecision({
  event,
  blocked,
  stop,
  hooks,
}: Extract<ChatEvent, { type: 'hookDecision' }>): string {
  const decided = blocked ? ' blocked' : stop ? ' stops the agent' : '';
  return `  ${event}${decided}: ${hooks.map(describeHook).join(', ')}`;
}

function describeHook({ name, status, exitCode, signal, durationMs, error }: HookReport): string {
  const exit = error === undefined ? `exit ${signal ?? exitCode ?? 'none'}` : `${status}: ${error}`;
  return printable(`${name} (${exit}, ${durationMs} ms)`);
}

function describeResult(
  { status, display, name, error }: Extract<ChatEvent, { type: 'toolResult' }>,
  paint: (style: Style, text: string) => string,
): string {
  const mark = status === 'done' && error === undefined ? paint('green', '✓') : paint('red', '✗');
  const shown = display === null ? '(hidden by a hook)' : printable(display);
  return `${mark} ${oneWord(name)}${status === 'done' ? '' : ` ${status}`}${shown === '' ? '' : `: ${shown}`}`;
}
