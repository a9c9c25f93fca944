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
  const attempt = () => {
    try {
      work();
    } catch {
      // Nobody waits for it here: it would be an uncaught error, which ends a process of Node.
    }
  };
  if (host.requestIdleCallback !== undefined) {
    host.requestIdleCallback(attempt);
    return;
  }
  // Node's timer is an object, and alone must not keep a process alive; a browser's is a number.
  const timer: Partial<NodeJS.Timeout> = setTimeout(attempt);
  timer.unref?.();
}
