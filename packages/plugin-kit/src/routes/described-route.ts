/** A route, as a plugin reads it. */
export interface DescribedRoute {
  /** In upper case. */
  readonly methods: readonly string[];
  /** With the prefixes of its scopes, such as `/admin/users/:id`. */
  readonly url: string;
  readonly config: Readonly<Record<string, unknown>>;
}
