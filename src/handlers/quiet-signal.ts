type Listener = Parameters<AbortSignal['addEventListener']>[1];

/** By listener, what is called in its place; a listener must be removable. */
const instead = new WeakMap<object, (event: Event) => void>();

function quiet(listener: Listener): Listener {
  // Whatever else is given as a listener is rejected, or ignored, as it always is.
  if (typeof listener !== 'function' && typeof listener !== 'object') return listener;
  let own = instead.get(listener);
  if (own === undefined) {
    own = (event) => {
      try {
        const said: unknown =
          typeof listener === 'function'
            ? listener.call(event.target as AbortSignal, event)
            : listener.handleEvent(event);
        Promise.resolve(said).catch(() => undefined);
      } catch {
        // Nobody waits for the hook any more.
      }
    };
    instead.set(listener, own);
  }
  return own;
}

/** By signal, what was assigned to `onabort`. */
const assigned = new WeakMap<AbortSignal, AbortSignal['onabort']>();

/** A listener that throws when the signal is aborted does not end the host. */
class QuietSignal extends AbortSignal {
  override addEventListener(
    ...[type, listener, options]: Parameters<AbortSignal['addEventListener']>
  ): void {
    super.addEventListener(type, listener && quiet(listener), options);
  }

  override removeEventListener(
    ...[type, listener, options]: Parameters<AbortSignal['removeEventListener']>
  ): void {
    super.removeEventListener(type, listener && quiet(listener), options);
  }

  override get onabort(): AbortSignal['onabort'] {
    return assigned.get(this) ?? null;
  }

  override set onabort(listener: AbortSignal['onabort']) {
    const before = this.onabort;
    if (before) this.removeEventListener('abort', before as Listener);
    const after = typeof listener === 'function' ? listener : null;
    assigned.set(this, after);
    if (after) this.addEventListener('abort', after as Listener);
  }
}

/** Makes a signal safe for code that is not ours: Node.js reports what a listener throws as an uncaught exception. */
export function quieted(signal: AbortSignal): AbortSignal {
  return Object.setPrototypeOf(signal, QuietSignal.prototype) as AbortSignal;
}
