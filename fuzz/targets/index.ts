import type { Target } from '../target.ts';
import { bus } from './bus.ts';
import { recordings } from './recordings.ts';
import { scripted } from './scripted.ts';
import { settings } from './settings.ts';
import { stdin } from './stdin.ts';
import { stdout } from './stdout.ts';

/** Everything that reads what strangers wrote; a new reader is added here. */
export const targets: readonly Target[] = [settings, stdout, stdin, recordings, bus, scripted];
