import { dataOf, hashPassword, writeOnce } from '@sallyport/api-client';
import type { ConsoleWorld } from './console-world.js';

export interface TestAccount {
  readonly username: string;
  readonly displayName: string;
  readonly password: string;
  readonly roleIds?: string[];
}

/** Creates an administrator. A busy machine hashes slowly, and the service asks to try again. */
export async function createAccount({ client }: ConsoleWorld, { password, ...account }: TestAccount) {
  const body = { ...account, password: hashPassword(password) };
  const answer = await writeOnce((header) => client.api.POST('/admin/administrators', { params: { header }, body }), {
    attempts: 10,
  });
  return dataOf(answer).data;
}
