import { useFormats } from '../language/formats.js';
import { useTexts } from '../language/language.js';
import { usePermissionGroups } from './permission-groups.js';
import { texts } from './texts.js';

/** How many names are told one by one. */
const MAX_NAMES = 5;

export interface PermissionDifferenceProps {
  readonly grants: readonly string[];
  readonly other: readonly string[];
}

/** What one choice of permissions has that the other has not. */
export function PermissionDifference({ grants, other }: PermissionDifferenceProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const nameOf = usePermissionNames();
  const only = grants.filter((grant) => !other.includes(grant));
  const names = only.slice(0, MAX_NAMES).map(nameOf);
  if (only.length > MAX_NAMES) names.push(t.more(number(only.length - MAX_NAMES)));
  return `${t.count(number(grants.length))}; ${t.only(names.length === 0 ? t.none : names.join(', '))}`;
}

/** The texts of grants, in the language of the page. */
export function usePermissionNames(): (grant: string) => string {
  const t = useTexts(texts);
  const { groups } = usePermissionGroups();
  return (grant) => {
    if (grant === '*') return t.every;
    const all = groups?.flatMap(({ permissions }) => permissions) ?? [];
    return all.find(({ code }) => code === grant)?.text ?? grant;
  };
}
