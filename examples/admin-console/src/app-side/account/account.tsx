import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useApi, useConnection } from '../../service/service.js';

export type Account = components['schemas']['AppProfile'];

/** Where the account is in the cache. */
export const ACCOUNT_KEY = ['app-account'] as const;

/** The account of the session. */
export function useAccountQuery(isSignedIn: boolean) {
  const api = useApi();
  const { generation } = useConnection();
  return useQuery({
    queryKey: [...ACCOUNT_KEY, generation],
    queryFn: async ({ signal }) => dataOf(await api.GET('/app/profile', { signal })).data,
    enabled: isSignedIn,
  });
}

export const AccountContext = createContext<Account | null>(null);

/** The signed-in app user. */
export function useAccount(): Account {
  const account = useContext(AccountContext);
  if (account === null) throw new Error('useAccount: nobody is signed in');
  return account;
}
