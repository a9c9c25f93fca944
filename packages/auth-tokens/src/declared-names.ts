/**
 * Declares the audiences and permission codes of an application, so that the compiler checks them:
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
// biome-ignore lint/suspicious/noEmptyInterface: applications merge their names into it
export interface DeclaredNames {}

/** An audience: any string unless {@link DeclaredNames} lists them. */
export type Audience = DeclaredNames extends { audience: infer Name extends string } ? Name : string;

/** A permission code: any string unless {@link DeclaredNames} lists them. */
export type Permission = DeclaredNames extends { permission: infer Name extends string } ? Name : string;
