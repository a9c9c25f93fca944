/** A route as plugins read it. */
export interface DescribedRoute {
  /** The methods, in upper case. */
  readonly methods: readonly string[];
  /** The URL with the prefixes of its scopes, such as `/admin/users/:id`. */
  readonly url: string;
  readonly config: Readonly<Record<string, unknown>>;
}
