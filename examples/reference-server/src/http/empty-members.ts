interface ObjectSchema {
  readonly properties: object;
  readonly required?: readonly string[] | undefined;
}

/** A `preValidation` hook of any route. */
type IgnoreEmptyMembers = (request: { readonly body: unknown }, reply: unknown, done: () => void) => void;

/**
 * A hook for the bodies of sign-ins: an optional member that is `null` or an empty text counts as absent. Forms send
 * all of their fields, and a sign-in has several of which one suffices. Required members are not touched (HTTP-4).
 */
export function ignoreEmptyMembers(schema: ObjectSchema): IgnoreEmptyMembers {
  const { properties, required = [] } = schema;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));

  return function ignoreEmpty({ body }, _reply, done) {
    if (typeof body === 'object' && body !== null) {
      const members = body as Record<string, unknown>;
      for (const name of optional) if (members[name] === null || members[name] === '') delete members[name];
    }
    done();
  };
}
