import type { HookSystemConfig } from '../../hosts/system/hook-system-config.ts';
import { warn } from '../../base/log.ts';
import type { HookEventName } from '../../core/protocol/events.ts';
import type { AdapterOptions, BlockedCall } from './options.ts';

/** What an adapter reports to its host and the user. */
export class Notices {
  readonly #options: AdapterOptions;
  readonly #config: HookSystemConfig;
  readonly #warned = new Set<string>();
  #saidWhyTextWaits = false;

  constructor(options: AdapterOptions, config: HookSystemConfig) {
    this.#options = options;
    this.#config = config;
  }

  warnOnce(line: string): void {
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    warn(this.#config.onWarning, line);
  }

  /** Warns about a tool that the provider runs: its calls never reach us. Once for each tool. */
  warnOfProviderTool(name: string): void {
    this.warnOnce(
      `the tool ${name} is run by the provider, so no BeforeTool or AfterTool hook sees it; a BeforeToolSelection hook can withhold it`,
    );
  }

  /** Warns that what a hook wants hidden is not hidden. */
  hiding(event: HookEventName, what: string): void {
    this.warnOnce(
      `${event}: a hook wants ${what} hidden from the user (\`suppressOutput\`), which has no effect here: your program decides what it shows`,
    );
  }

  /** Reports once which hooks the text of answers waits for. */
  textWaits(hooks: readonly string[]): void {
    if (this.#saidWhyTextWaits) return;
    this.#saidWhyTextWaits = true;
    this.#options.onTextWaits?.(hooks);
  }

  blocked(blocked: BlockedCall): void {
    this.#options.onBlocked?.(blocked);
  }

  /** Passes on what hooks say to the user alone. */
  tell(notice: string): void {
    const { onNotice } = this.#options;
    if (onNotice) onNotice(notice);
    else warn(this.#config.onWarning, notice);
  }
}
