import { isRecord } from '../../base/json.ts';

/** Whether the user has approved a call, according to the conversation that a tool gets with it. */
export function isApproved(messages: unknown, callId: string): boolean {
  const parts = (Array.isArray(messages) ? messages : []).flatMap((message: unknown) =>
    isRecord(message) && Array.isArray(message['content'])
      ? message['content'].filter(isRecord)
      : [],
  );
  const asked = new Set(
    parts
      .filter((part) => part['type'] === 'tool-approval-request' && part['toolCallId'] === callId)
      .map((part) => part['approvalId']),
  );
  return parts.some(
    (part) =>
      part['type'] === 'tool-approval-response' &&
      part['approved'] === true &&
      asked.has(part['approvalId']),
  );
}
