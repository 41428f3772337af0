type Listener = Parameters<AbortSignal['addEventListener']>[1];

/** By listener, what is called in its place; a listener must be removable. */
const quieted = new WeakMap<object, (event: Event) => void>();

function quiet(listener: Listener): Listener {
  // Whatever else is given as a listener is rejected, or ignored, as it always is.
  if (typeof listener !== 'function' && typeof listener !== 'object') return listener;
  let instead = quieted.get(listener);
  if (instead === undefined) {
    instead = (event) => {
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
    quieted.set(listener, instead);
  }
  return instead;
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

/**
 * Returns a controller whose signal may be given to code that is not ours: Node.js reports what a listener
 * throws as an uncaught exception.
 */
export function quietController(): AbortController {
  const controller = new AbortController();
  Object.setPrototypeOf(controller.signal, QuietSignal.prototype);
  return controller;
}
