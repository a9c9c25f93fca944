/** What a browser has, and Node hasn't. Safari hasn't either. */
interface IdleHost {
  requestIdleCallback?(work: () => void): unknown;
}

/** Runs the work when the page has nothing else to do; where nobody can tell, after what is under way. */
export function whenIdle(work: () => void): void {
  const host: IdleHost & object = globalThis;
  if (host.requestIdleCallback !== undefined) {
    host.requestIdleCallback(work);
    return;
  }
  const timer: unknown = setTimeout(work);
  // It alone must not keep a process of Node alive.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as NodeJS.Timeout).unref();
}
