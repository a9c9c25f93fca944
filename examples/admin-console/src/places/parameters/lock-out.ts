import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../service/service.js';
import { admits, parseAddress } from './address-range.js';
import type { Draft, Parameter } from './parameter.js';

/** The two parameters that can keep administrators from signing in. The service guards them (LGN-8). */
const IS_ENABLED = 'admin.auth.login.ip-whitelist.enabled';
const VALUES = 'admin.auth.login.ip-whitelist.values';

export const GUARDED_KEYS = [IS_ENABLED, VALUES];

/** Enough for all sessions of one administrator. */
const MAX_SESSIONS = 200;

/** The address from which this session was opened, as the service saw it. */
export function useOwnAddress(isNeeded: boolean): string | null {
  const api = useApi();
  const query = useQuery({
    queryKey: ['own-address'],
    async queryFn({ signal }) {
      const answer = await api.GET('/admin/sessions', { params: { query: { size: MAX_SESSIONS } }, signal });
      return dataOf(answer).data.find(({ current }) => current)?.clientIp ?? null;
    },
    enabled: isNeeded,
  });
  return query.data ?? null;
}

/**
 * Whether the user could not sign in from an address after a change. It is a warning: the service decides, by the
 * address of the request.
 */
export function locksOut(
  parameters: readonly Parameter[],
  { key, draft }: { readonly key: string; readonly draft: Draft },
  ownAddress: string | null,
): boolean {
  if (key !== IS_ENABLED && key !== VALUES) return false;
  const address = ownAddress === null ? null : parseAddress(ownAddress);
  if (address === null) return false;
  const valueAfter = (asked: string) =>
    asked === key ? draft : parameters.find((parameter) => parameter.key === asked)?.value;
  return valueAfter(IS_ENABLED) === true && admits(String(valueAfter(VALUES) ?? ''), address) === false;
}
