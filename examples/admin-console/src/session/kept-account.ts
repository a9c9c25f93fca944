import { useEffect, useState } from 'react';
import { useSessionState } from '../service/service.js';

/**
 * The account of the session: it stays after the session has ended, so that the page stays under the sign-in, and goes
 * with the sign-out. Null: nobody is signed in, or the account is still being read.
 *
 * @param read the account as it was read last
 */
export function useKeptAccount<Account>(read: Account | undefined): Account | null {
  const state = useSessionState();
  const [account, setAccount] = useState<Account | null>(null);
  useEffect(() => {
    if (read !== undefined && state === 'open') setAccount(read);
    if (state === 'none') setAccount(null);
  }, [read, state]);
  return state === 'none' ? null : account;
}
