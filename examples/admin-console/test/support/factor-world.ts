import { randomBytes } from 'node:crypto';
import { dataOf } from '@sallyport/api-client';
import type { Page } from 'playwright-core';
import { buildConsole } from './built-console.js';
import { ADMIN, openWorld, submitSignIn } from './console-world.js';
import { startService } from './service-process.js';
import { openAuthenticator } from './totp.js';

/** A service of its own, since a demanded factor would keep others out. Its client has one, in every mode. */
export async function openFactorWorld(mode: 'OFF' | 'REQUIRED') {
  const key = mode === 'OFF' ? {} : { SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex') };
  const service = await startService({ SERVICE_API_ENCRYPTION_MODE: mode, ...key });
  await buildConsole();
  const world = await openWorld(service, mode);
  const { client } = world;
  const { api } = client;

  async function setOther(key: string, value: string | number): Promise<void> {
    const path = { key };
    const { version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
    dataOf(await api.PUT('/admin/system-parameters/{key}', { params: { path }, body: { value, version } }));
  }
  const setParameter = (name: string, value: string | number) => setOther(`admin.auth.second-factor.${name}`, value);

  await setParameter('mode', 'OPTIONAL');
  const { id, secret } = dataOf(await api.POST('/auth/second-factors/totp', { body: {} })).data;
  const code = openAuthenticator(secret).next();
  dataOf(await api.POST('/auth/second-factors/totp/{id}/confirm', { params: { path: { id } }, body: { code } }));
  return {
    ...world,
    /** Of the second factor of administrators. */
    setParameter,
    setOther,
    async close() {
      await world.close();
      await service.remove();
    },
  };
}

export type FactorWorld = Awaited<ReturnType<typeof openFactorWorld>>;

/** Passkeys are bound to a name, not to an address. */
export const named = (address: string) => address.replace('127.0.0.1', 'localhost');

/** Types the name and the password, and sends them. */
export async function firstStep(page: Page, { username, password }: { username: string; password: string } = ADMIN) {
  await page.getByLabel('Username', { exact: true }).fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await submitSignIn(page);
}

export const signedIn = (page: Page) => page.getByRole('button', { name: /^User menu/ }).waitFor();

/** An authenticator of the device, which says yes at once. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
