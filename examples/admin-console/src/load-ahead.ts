/**
 * Loads a part of the page once the user types or points, so that it is there when it is needed. The first view does
 * not wait for it. The focus is no sign of a user: the page sets it itself. `input`: a password manager fills in.
 */
export function loadAhead(load: () => Promise<unknown>): void {
  // A part that could not be loaded is asked for again where it is shown.
  const attempt = () => void load().catch(() => {});
  for (const turn of ['keydown', 'pointerdown', 'input']) addEventListener(turn, attempt, { once: true });
}
