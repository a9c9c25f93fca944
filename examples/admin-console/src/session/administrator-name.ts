import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { defineTexts, useTexts } from '../language/language.js';
import { useApi } from '../service/service.js';
import { useMay, useProfile } from './profile.js';

const texts = defineTexts({
  en: { unnamed: (end: string) => `Administrator …${end}` },
  'zh-CN': { unnamed: (end: string) => `管理员 …${end}` },
});

/** Changes by a command are recorded under other names than those of accounts. */
const ACCOUNT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The end of an id distinguishes accounts: its beginning is a time. */
const SHOWN_LENGTH = 12;

/**
 * The name of an administrator. For a user who may not read accounts, and for a deleted account, it is the end of the
 * id, as in the audit log.
 *
 * @param you stands for the user's own account
 */
export function useAdministratorName(id: string | null, you: string): string {
  const t = useTexts(texts);
  const api = useApi();
  const may = useMay();
  const own = useProfile().id;
  const isAccount = id !== null && ACCOUNT_ID.test(id);
  const { data } = useQuery({
    queryKey: ['administrator-names', id],
    async queryFn({ signal }) {
      const path = { id: id ?? '' };
      return dataOf(await api.GET('/admin/administrators/{id}', { params: { path }, signal })).data.username;
    },
    enabled: isAccount && id !== own && may('api:admin:administrators:read'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (id === own) return you;
  if (!isAccount) return id ?? '';
  return data ?? t.unnamed(id.slice(-SHOWN_LENGTH));
}
