import { canonicalJson } from '../../base/canonical-json.ts';
import { isRecord } from '../../base/json.ts';
import type { Verdict } from './contract.ts';

/** The most bytes of evidence (§5.3), and of a message in a record (§10.3). */
const mostEvidence = 10_240;
const mostMessage = 256;

/** Whether a value is a verdict that an interceptor may return (§5). */
export function isVerdict(value: unknown): value is Verdict {
  if (!isRecord(value)) return false;
  const { decision, reason, message, warnings, approval, transform, evidence } = value;
  const labels = value['result_labels'];
  return (
    (decision === 'allow' || decision === 'deny' || decision === 'transform') &&
    isAbsentOr(reason, (one) => typeof one === 'string' && !one.startsWith('host_error:')) &&
    isAbsentOr(message, (one) => typeof one === 'string') &&
    isAbsentOr(warnings, (one) => Array.isArray(one) && one.every(isRecord)) &&
    isAbsentOr(approval, (one) => isRecord(one) && decision === 'deny') &&
    (decision === 'transform'
      ? isRecord(transform) && typeof transform['path'] === 'string'
      : transform === undefined || transform === null) &&
    isAbsentOr(evidence, (one) => isRecord(one) && sizeOf(one) <= mostEvidence) &&
    isAbsentOr(labels, (one) => Array.isArray(one) && one.every((label) => typeof label === 'string')) // prettier-ignore
  );
}

const isAbsentOr = (value: unknown, check: (value: unknown) => boolean): boolean =>
  value === undefined || value === null || check(value);

function sizeOf(value: unknown): number {
  try {
    return Buffer.byteLength(canonicalJson(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** How strict a verdict is (§5.1). */
export const severityOf = ({ decision, approval }: Verdict): number =>
  decision === 'deny' ? (approval ? 2 : 3) : decision === 'transform' ? 1 : 0;

export const isLiftable = (verdict: Verdict): boolean =>
  verdict.decision === 'deny' && isRecord(verdict.approval);

/** Adds the warnings of all verdicts, and the labels of those that permit, to the one that counts (§7.3). */
export function withMetadata(winner: Verdict, all: readonly Verdict[]): Verdict {
  const warnings = new Map(
    all
      .flatMap((verdict) => verdict.warnings ?? [])
      .map((one) => [JSON.stringify([one.reason, one.message]), one]),
  );
  const labels = new Set(
    winner.decision === 'deny'
      ? []
      : all.flatMap(({ decision, result_labels: given }) => decision === 'deny' ? [] : (given ?? [])), // prettier-ignore
  );
  const { warnings: _, result_labels: __, ...rest } = winner;
  return {
    ...rest,
    ...(warnings.size > 0 && { warnings: [...warnings.values()] }),
    ...(labels.size > 0 && { result_labels: [...labels] }),
  };
}

/** What a record keeps of a verdict (§10.3). */
export function projectedVerdict(verdict: Verdict): Verdict {
  const { decision, reason, message, warnings, approval, transform, evidence } = verdict;
  return {
    decision,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message: cut(message) }),
    ...(warnings && {
      warnings: warnings.map((one) => ({
        ...(one.reason !== undefined && { reason: one.reason }),
        ...(one.message !== undefined && { message: cut(one.message) }),
      })),
    }),
    ...(approval && { approval: {} }),
    ...(transform && { transform: { path: transform.path } }),
    ...(evidence && { evidence }),
    ...(verdict.result_labels && { result_labels: verdict.result_labels }),
  };
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= mostMessage) return text;
  let kept = '';
  let size = Buffer.byteLength('…');
  for (const letter of text) {
    size += Buffer.byteLength(letter);
    if (size > mostMessage) break;
    kept += letter;
  }
  return `${kept}…`;
}
