import { createOneTimeCodes } from '@sallyport/one-time-codes';
import { createMemoryStore } from '@sallyport/ttl-store';

const codes = createOneTimeCodes({ store: createMemoryStore(), key: new Uint8Array(32), send: () => {} });

export async function signIn(mail: string, code: string): Promise<boolean> {
  return codes.check({ recipient: mail, code, clientIp: '192.0.2.1' }); // mistake
}
