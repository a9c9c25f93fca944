import type { Texts } from './language.js';

/** The permissions of a module, with their texts. */
export interface PermissionGroup {
  readonly title: Texts;
  /** The texts, by code. */
  readonly permissions: Readonly<Record<string, Texts>>;
}

/** A group with the name of its module, in the form of the catalogue. */
export interface NamedPermissionGroup extends PermissionGroup {
  readonly name: string;
}

/** Returns the group unchanged. TypeScript refuses a permission without its texts. */
export function definePermissions(group: PermissionGroup): PermissionGroup {
  return group;
}
