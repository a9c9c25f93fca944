/** Something that a check depends on can't answer: the request is refused with `Refusal`, and the cause goes to the log. */
export async function failClosed<T>(
  ask: () => T | Promise<T>,
  Refusal: new (options: { cause: unknown }) => Error,
): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw new Refusal({ cause });
  }
}
