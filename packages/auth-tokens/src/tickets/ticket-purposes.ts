import { type OptionRule, option } from '@sallyport/options';
import type { Permission } from '../declared-names.js';

/** Names of purposes, which need no permission; or an object from names to the permission of each, null for none. */
export type TicketPurposes = readonly string[] | Readonly<Record<string, Permission | null>>;

/** The permission that each purpose needs, or null. */
export type PurposePermissions = ReadonlyMap<string, string | null>;

const PURPOSE = /^[A-Za-z0-9_.:-]{1,64}$/;

function purposeEntries(purposes: TicketPurposes): (readonly [purpose: string, permission: string | null])[] {
  return Array.isArray(purposes) ? purposes.map((purpose) => [purpose, null]) : Object.entries(purposes);
}

export const ticketPurposesRule: OptionRule<PurposePermissions> = option<PurposePermissions>({
  meaning: "a list of names such as 'download', or an object from names to permissions",
  accepts(value) {
    if (typeof value !== 'object' || value === null) return false;
    return purposeEntries(value as TicketPurposes).every(([name]) => typeof name === 'string' && PURPOSE.test(name));
  },
  read: (purposes: TicketPurposes) => new Map(purposeEntries(purposes)),
  default: new Map(),
});

/** Faults between the purposes and the options that their permissions need. */
export function purposeFaults(
  purposes: PurposePermissions,
  {
    permissions,
    canLoadPermissions,
  }: { readonly permissions: readonly string[]; readonly canLoadPermissions: boolean },
): string[] {
  return [...purposes].flatMap(([purpose, permission]) => {
    if (permission === null) return [];
    if (!permissions.includes(permission)) {
      return [`ticketPurposes.${purpose} must be null or a code of the option permissions`];
    }
    return canLoadPermissions ? [] : [`ticketPurposes.${purpose} needs the option loadPermissions`];
  });
}
