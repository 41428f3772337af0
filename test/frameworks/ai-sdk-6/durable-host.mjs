import * as ai from 'ai';
import { MockLanguageModelV3 as Mock } from 'ai/test';
import { z } from 'zod';
import { createConfig } from 'hookmachine';
import { withHooks } from 'hookmachine/ai-sdk';
import { connectDurable } from 'hookmachine/durable';
import { host } from '../ai-sdk/durable-host.mjs';
import { runHost } from '../durable-host.mjs';

const sdk = { ...ai, isStepCount: ai.stepCountIs, z, Mock, withHooks };
await runHost({ createConfig, connectDurable }, (durable, order) => host(sdk, durable, order));
