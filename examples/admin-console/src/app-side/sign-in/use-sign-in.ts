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
      // A user without a password gets none.
      if (signedIn.deviceToken !== undefined) appDevices.keep(given.mobile, signedIn.deviceToken);
    },
    onSuccess() {
      setNotice(null);
      connection.noteSignIn();
    },
    onError: (error) => onError?.(error),
  });
}
