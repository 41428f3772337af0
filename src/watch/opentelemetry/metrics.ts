import type { Attributes, Meter } from '@opentelemetry/api';

/** What is counted and measured. */
export interface HookMetrics {
  /** Counts a denial by hooks. */
  denied(about: Attributes): void;
  /** Counts a hook that failed or timed out. */
  failed(about: Attributes): void;
  hookTook(ms: number, about: Attributes): void;
  toolTook(ms: number, about: Attributes): void;
  modelTook(ms: number, about: Attributes): void;
  /** Counts the tokens of a model call. */
  used(tokens: number, about: Attributes): void;
}

/** In seconds: a function takes less than a millisecond, a hook that starts a build takes minutes. */
const boundaries = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

/** Creates the instruments of a meter. */
export function hookMetrics(meter: Meter): HookMetrics {
  const histogram = (name: string, description: string) => {
    const made = meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries },
    });
    return (ms: number, about: Attributes): void => made.record(ms / 1_000, about);
  };
  const denials = meter.createCounter('hookmachine.denials', {
    description: 'What hooks denied.',
    unit: '{denial}',
  });
  const failures = meter.createCounter('hookmachine.hook.failures', {
    description: 'Hooks that failed, or took too long.',
    unit: '{failure}',
  });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'How many tokens model calls used.',
    unit: '{token}',
    advice: {
      explicitBucketBoundaries: [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576], // prettier-ignore
    },
  });
  return {
    used: (count, about) => tokens.record(count, about),
    denied: (about) => denials.add(1, about),
    failed: (about) => failures.add(1, about),
    hookTook: histogram('hookmachine.hook.duration', 'How long hooks took.'),
    toolTook: histogram(
      'gen_ai.execute_tool.duration',
      'How long tool calls took, with their hooks.',
    ),
    modelTook: histogram(
      'gen_ai.client.operation.duration',
      'How long model calls took, with their hooks.',
    ),
  };
}
