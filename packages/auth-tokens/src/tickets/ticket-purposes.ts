import { type OptionRule, option } from '@sallyport/plugin-kit/options';
import type { Audience, Permission } from '../declared-names.js';
import type { Principal } from '../sessions/index.js';

/**
 * Whether this principal may have a ticket for this resource, for example because the principal owns it. Called when
 * the ticket is issued and again when it is redeemed. Only `true` counts. If it rejects, the answer is 503.
 */
export type TicketCheck = (principal: Principal, resource: string) => boolean | Promise<boolean>;

/** A permission, a check, or null for no requirement. */
export type TicketRequirement = Permission | TicketCheck | null;

/**
 * Names of purposes without requirements, or an object from names to requirements: one for all, or one for each
 * audience. An audience that is not named gets no ticket for the purpose.
 */
export type TicketPurposes =
  | readonly string[]
  | Readonly<Record<string, TicketRequirement | { readonly [audience in Audience]?: TicketRequirement }>>;

/** The requirements of each purpose, for everybody or by audience. */
export type PurposeRequirements = ReadonlyMap<string, TicketRequirement | ReadonlyMap<string, TicketRequirement>>;

const PURPOSE = /^[A-Za-z0-9_.:-]{1,64}$/;

function purposeEntries(purposes: TicketPurposes): (readonly [purpose: string, needs: unknown])[] {
  return Array.isArray(purposes) ? purposes.map((purpose) => [purpose, null]) : Object.entries(purposes);
}

function isByAudience(needs: unknown): needs is Readonly<Record<string, TicketRequirement>> {
  return typeof needs === 'object' && needs !== null && !Array.isArray(needs);
}

function readNeeds(needs: unknown): TicketRequirement | ReadonlyMap<string, TicketRequirement> {
  return isByAudience(needs) ? new Map(Object.entries(needs)) : (needs as TicketRequirement);
}

export const ticketPurposesRule: OptionRule<PurposeRequirements> = option<PurposeRequirements>({
  meaning: "a list of names such as 'download', or an object from names to permissions",
  accepts(value) {
    if (typeof value !== 'object' || value === null) return false;
    return purposeEntries(value as TicketPurposes).every(([name]) => typeof name === 'string' && PURPOSE.test(name));
  },
  read: (purposes: TicketPurposes) =>
    new Map(purposeEntries(purposes).map(([purpose, needs]) => [purpose, readNeeds(needs)])),
  default: new Map(),
});

/** The requirement of a purpose for this audience. Undefined: the audience gets no ticket. */
export function requirementOf(
  purposes: PurposeRequirements,
  purpose: string,
  audience: string,
): TicketRequirement | undefined {
  const needs = purposes.get(purpose);
  return needs instanceof Map ? needs.get(audience) : (needs as TicketRequirement | undefined);
}

export interface PurposeRules {
  readonly permissions: readonly string[];
  readonly audiences: readonly string[];
  readonly canLoadPermissions: boolean;
}

/** Faults between the purposes and the options on which their requirements depend. */
export function purposeFaults(purposes: PurposeRequirements, rules: PurposeRules): string[] {
  return [...purposes].flatMap(([purpose, needs]) => {
    const name = `ticketPurposes.${purpose}`;
    if (!(needs instanceof Map)) return requirementFaults(name, needs, rules);
    return [...needs].flatMap(([audience, requirement]) => [
      ...(rules.audiences.includes(audience) ? [] : [`${name}.${audience} is not one of the option audiences`]),
      ...requirementFaults(`${name}.${audience}`, requirement, rules),
    ]);
  });
}

function requirementFaults(name: string, requirement: unknown, rules: PurposeRules): string[] {
  if (requirement === null || typeof requirement === 'function') return [];
  if (!rules.permissions.includes(requirement as string)) {
    return [`${name} must be null, a function or a code of the option permissions`];
  }
  return rules.canLoadPermissions ? [] : [`${name} needs the option loadPermissions`];
}
