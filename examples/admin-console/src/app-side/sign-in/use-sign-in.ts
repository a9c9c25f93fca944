import type { ApiClient } from '@sallyport/api-client';
import { useSend } from '../../service/send.js';
import { useConnection } from '../../service/service.js';
import { appDevices } from '../visit/device.js';
import { useVisit } from '../visit/visit.js';

type Credentials = Parameters<ApiClient['signInToApp']>[0];

/** Signs an app user in. A password leaves the page as its SM3 digest. */
export function useSignIn(credentials: () => Promise<Credentials>, onError?: (error: Error) => void) {
  const connection = useConnection();
  const { setNotice } = useVisit();
  return useSend({
    async mutationFn() {
      const given = await credentials();
      const signedIn = await connection.client.signInToApp({ ...given, ...appDevices.memberOf(given.mobile) });
      const keepDevice = (token: string) => appDevices.keep(given.mobile, token);
      // A user without a password gets none.
      if (signedIn.deviceToken !== undefined) keepDevice(signedIn.deviceToken);
      const { secondFactor } = signedIn;
      return secondFactor && { ...secondFactor, ...appDevices.memberOf(given.mobile), keepDevice };
    },
    onSuccess(pending) {
      setNotice(null);
      if (pending === undefined) connection.noteSignIn();
      else connection.notePending(pending);
    },
    onError: (error) => onError?.(error),
  });
}
