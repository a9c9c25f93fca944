/**
 * Loads a part of the page once the user turns to the page, so that it is there when it is needed. The first view does
 * not wait for it.
 */
export function loadAhead(load: () => Promise<unknown>): void {
  // A part that could not be loaded is asked for again where it is shown.
  const attempt = () => void load().catch(() => {});
  addEventListener('focusin', attempt, { once: true });
}
