import type { Texts } from './language.js';

/** The permissions of a module, with what they allow. */
export interface PermissionGroup {
  readonly title: Texts;
  /** By their codes. */
  readonly permissions: Readonly<Record<string, Texts>>;
}

/** A group under the name of its module, as the catalogue shows it. */
export interface NamedPermissionGroup extends PermissionGroup {
  readonly name: string;
}

/** Returns the group unchanged. TypeScript refuses a permission without its texts. */
export function definePermissions(group: PermissionGroup): PermissionGroup {
  return group;
}
