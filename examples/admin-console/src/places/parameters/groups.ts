import type { Parameter } from './parameter.js';

/** The parameters under one heading. */
export interface ParameterGroup {
  /** Empty for those whose definition names no group. */
  readonly name: string;
  readonly texts: NonNullable<Parameter['group']>['texts'] | null;
  readonly parameters: readonly Parameter[];
}

/** Groups in the order in which the service names them; those without a group are last. */
export function groupsOf(parameters: readonly Parameter[]): readonly ParameterGroup[] {
  const members = new Map<string, Parameter[]>();
  for (const parameter of parameters) {
    const name = parameter.group?.name ?? '';
    members.set(name, [...(members.get(name) ?? []), parameter]);
  }
  const groups = [...members].map(([name, ofGroup]) => ({
    name,
    texts: ofGroup[0]?.group?.texts ?? null,
    parameters: ofGroup,
  }));
  return [...groups.filter(({ name }) => name !== ''), ...groups.filter(({ name }) => name === '')];
}

/** What the user looks for. */
export interface ParameterFilter {
  /** Words that are all in the key, the texts or the group, in any language. */
  readonly search: string;
  /** The name of a group. Null: all. */
  readonly group: string | null;
  /** Only those whose value is not the default. */
  readonly isChanged: boolean;
}

export function matches(parameter: Parameter, { search, group, isChanged }: ParameterFilter): boolean {
  if (group !== null && (parameter.group?.name ?? '') !== group) return false;
  if (isChanged && parameter.value === parameter.defaultValue && parameter.fault == null) return false;
  const groupTexts = Object.values(parameter.group?.texts ?? {});
  const text = [parameter.key, ...Object.values(parameter.texts), ...groupTexts].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
