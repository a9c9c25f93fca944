/**
 * For an application that wants its audiences and permission codes checked by the compiler:
 *
 * ```ts
 * declare module '@sallyport/auth-tokens' {
 *   interface DeclaredNames {
 *     audience: 'admin' | 'app';
 *     permission: (typeof permissions)[number];
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged into
export interface DeclaredNames {}

/** An audience: any text until {@link DeclaredNames} says which there are. */
export type Audience = DeclaredNames extends { audience: infer Name extends string } ? Name : string;

/** A permission code: any text until {@link DeclaredNames} says which there are. */
export type Permission = DeclaredNames extends { permission: infer Name extends string } ? Name : string;
