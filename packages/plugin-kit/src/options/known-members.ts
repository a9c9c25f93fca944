/**
 * A compiler message with the members of `Given` that `Known` lacks, or a type that accepts everything if there are
 * none.
 */
type UnknownMembers<Given, Known> =
  Exclude<keyof Given, Known> extends never
    ? Given extends (...values: never) => unknown
      ? 'a function has no settings'
      : () => object
    : `${Exclude<keyof Given, Known> & string} is not a known member`;

/**
 * The base of an interface of settings in a route's `config`. TypeScript then refuses other members and primitive
 * values there: `interface Settings extends KnownMembers<Settings> { … }`.
 *
 * Fastify infers the type of `config` from what is given and intersects it with the declared one. In an intersection
 * TypeScript checks neither for excess members nor whether any member is common. But `this` is the whole intersection
 * there, and every object has `valueOf` of `Object.prototype`. Its type therefore carries the check.
 */
export interface KnownMembers<Self> {
  /** Not a setting. It carries the check of the compiler. */
  readonly valueOf?: UnknownMembers<this, keyof Self>;
}
