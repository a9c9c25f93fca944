/** What a browser has, and Node hasn't. Safari hasn't either. */
interface IdleHost {
  requestIdleCallback?(work: () => void): unknown;
}

/**
 * Runs the work when the page has nothing else to do; where nobody can tell, after what is under way. It is work that is done
 * again where it is needed and wasn't: what fails here fails there, and is told to whoever waits for it.
 */
export function whenIdle(work: () => void): void {
  const host: IdleHost & object = globalThis;
  if (host.requestIdleCallback !== undefined) {
    host.requestIdleCallback(() => attempt(work));
    return;
  }
  const timer: unknown = setTimeout(attempt, 0, work);
  // It alone must not keep a process of Node alive.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as NodeJS.Timeout).unref();
}

/** Nobody waits for it here: an error would be an uncaught one, and end a process of Node. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Told at the first use.
  }
}
