/** An account whose factors are meant. */
export interface FactorOwner {
  readonly audience: 'admin' | 'app';
  /** The id of the account. */
  readonly subject: string;
  /** The user name, or the mobile number in E.164. */
  readonly username: string;
}

/** The name of an account in the records, in the store and in the counters of failures. */
export function principalOf({ audience, subject }: { readonly audience: string; readonly subject: string }): string {
  return `${audience}:${subject}`;
}

/** The values of the primary key of a principal. */
export function keyOfPrincipal(principal: string): Pick<FactorOwner, 'subject'> & { readonly audience: string } {
  const [audience = '', subject = ''] = principal.split(':');
  return { audience, subject };
}
