import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '../../language/language.js';
import { useApi } from '../../service/service.js';
import { useMay, useProfile } from '../../session/profile.js';
import { texts } from './texts.js';

/** Changes by a command are recorded under other names than those of accounts. */
const ACCOUNT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The name of an administrator. Who may not read accounts, and a deleted account, get the id. */
export function useAdministratorName(id: string | null): string {
  const t = useTexts(texts);
  const api = useApi();
  const may = useMay();
  const own = useProfile().id;
  const { data } = useQuery({
    queryKey: ['administrator-names', id],
    async queryFn({ signal }) {
      const path = { id: id ?? '' };
      return dataOf(await api.GET('/admin/administrators/{id}', { params: { path }, signal })).data.username;
    },
    enabled: id !== null && id !== own && ACCOUNT_ID.test(id) && may('api:admin:administrators:read'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return id === own ? t.you : (data ?? id ?? '');
}
