import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLanguage } from '../language/language.js';
import { useApi } from '../service/service.js';

/** A permission, in the language of the page. */
export interface NamedPermission {
  readonly code: string;
  readonly text: string;
}

export interface NamedGroup {
  readonly name: string;
  readonly title: string;
  readonly permissions: readonly NamedPermission[];
}

/** The permissions of the service, by group. */
export function usePermissionGroups() {
  const api = useApi();
  const { language } = useLanguage();
  const query = useQuery({
    queryKey: ['permissions'],
    queryFn: async ({ signal }) => dataOf(await api.GET('/admin/permissions', { signal })).data,
    // They change with the version of the service.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error, refetch } = query;
  const groups = useMemo(
    () =>
      data?.map(
        ({ name, title, permissions }): NamedGroup => ({
          name,
          title: title[language],
          permissions: permissions.map(({ code, text }) => ({ code, text: text[language] })),
        }),
      ),
    [data, language],
  );
  return { groups, error, retry: () => void refetch() };
}

/** A group with those of its permissions that a search found. */
export interface FoundGroup {
  readonly group: NamedGroup;
  readonly shown: readonly NamedPermission[];
}

/** Finds the permissions with the text in their name, their code, or the name of their group. */
export function searchGroups(groups: readonly NamedGroup[], wanted: string): readonly FoundGroup[] {
  const words = wanted.trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(words);
  return groups.map((group) => ({
    group,
    shown: has(group.title) ? group.permissions : group.permissions.filter(({ code, text }) => has(text) || has(code)),
  }));
}
