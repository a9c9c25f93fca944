import { randomInt } from 'node:crypto';
import { createApiClient, dataOf } from '@sallyport/api-client';
import { expect } from 'vitest';
import type { ConsoleWorld } from './console-world.js';

/** A new app user, who has signed in by a code. */
export async function createAppUser(
  { service }: Pick<ConsoleWorld, 'service'>,
  displayName?: string,
): Promise<{ readonly mobile: string; readonly masked: string }> {
  const client = createApiClient({ baseUrl: service.origin });
  const { api } = client;
  const mobile = `+86137${randomInt(1e8).toString().padStart(8, '0')}`;
  dataOf(await api.POST('/app/auth/sendSmsCode', { body: { mobile } }));
  const codeOf = async () => {
    const { data } = dataOf(await api.GET('/dev/sms-outbox', { params: { query: { mobile } } }));
    return data[0]?.code ?? '';
  };
  await expect.poll(codeOf, { timeout: 10_000 }).toMatch(/^\d+$/);
  await client.signInToApp({ mobile, smsCode: await codeOf() });
  if (displayName !== undefined) dataOf(await api.PUT('/app/profile', { body: { displayName } }));
  return { mobile, masked: `${mobile.slice(0, 5)}****${mobile.slice(-2)}` };
}
