import { createMemoryFactorRecords, createSecondFactors } from '@sallyport/second-factor';
import { createMemoryStore } from '@sallyport/ttl-store';

const factors = createSecondFactors({
  store: createMemoryStore(),
  records: createMemoryFactorRecords(),
  key: { id: 'k1', secret: new Uint8Array(32) },
  issuer: 'Shop',
});

export async function signIn(principal: string, code: string): Promise<string> {
  if (factors.verifyTotp({ principal, code })) return 'in'; // mistake
  return 'out';
}
