import type { Permission } from '../declared-names.js';

/** Names of purposes that need no permission; or by name the permission that each needs, null for none. */
export type TicketPurposes = readonly string[] | Readonly<Record<string, Permission | null>>;

const PURPOSE = /^[A-Za-z0-9_.:-]{1,64}$/;

export function purposeEntries(purposes: TicketPurposes): (readonly [purpose: string, permission: string | null])[] {
  return Array.isArray(purposes) ? purposes.map((purpose) => [purpose, null]) : Object.entries(purposes);
}

/** What is wrong with the option, read together with the options that it refers to. */
export function purposeFaults(options: {
  readonly ticketPurposes: unknown;
  readonly permissions: readonly string[];
  readonly loadPermissions: unknown;
}): string[] {
  const { ticketPurposes, permissions, loadPermissions } = options;
  if (typeof ticketPurposes !== 'object' || ticketPurposes === null) return [NO_PURPOSES];
  const entries = purposeEntries(ticketPurposes as TicketPurposes);
  if (!entries.every(([purpose]) => typeof purpose === 'string' && PURPOSE.test(purpose))) return [NO_PURPOSES];
  return entries.flatMap(([purpose, permission]) => {
    if (permission === null) return [];
    if (!Array.isArray(permissions) || !permissions.includes(permission)) {
      return [`ticketPurposes.${purpose} must be null or a code of the option permissions`];
    }
    return loadPermissions === undefined
      ? [`ticketPurposes.${purpose} asks for a permission: give loadPermissions`]
      : [];
  });
}

const NO_PURPOSES = "ticketPurposes must be a list of names such as 'download', or an object from names to permissions";
