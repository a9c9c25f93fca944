/**
 * The place that a key leads to, among those that can be reached. Undefined for other keys, and at the end.
 *
 * @param places in their order
 */
export function neighbourOf<Place>(places: readonly Place[], current: Place, key: string): Place | undefined {
  const index = places.indexOf(current);
  if (key === 'ArrowRight') return places[index + 1];
  if (key === 'ArrowLeft') return index > 0 ? places[index - 1] : undefined;
  if (key === 'Home') return places[0];
  return key === 'End' ? places.at(-1) : undefined;
}
