/** A clock that only tests move. */
export function createClock(millis = 1_000_000) {
  return {
    now: () => millis,
    advance(by: number) {
      millis += by;
    },
  };
}
