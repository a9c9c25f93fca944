import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../scripts/test-browser.js';
import { lacks } from '../../../../scripts/test-needs.js';
import { freshPrincipal } from '../factor-bench.js';
import { testPasskeys } from './passkey-bench.js';

/** What the page of the tests has in its window. */
interface Ceremonies {
  create(options: object): Promise<RegistrationResponseJSON>;
  get(options: object): Promise<AuthenticationResponseJSON>;
}

/** The two calls of the browser, as the README has them. */
const PAGE = `<!doctype html><title>passkeys</title><script>
window.ceremonies = {
  async create(options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({ publicKey })).toJSON();
  },
  async get(options) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  },
};
</script>`;

describe.skipIf(lacks('chromium'))('a passkey of Chromium', () => {
  let browser: Browser;
  let app: FastifyInstance;
  let page: Page;
  let devTools: CDPSession;
  let authenticatorId: string;
  let origin: string;

  beforeAll(async () => {
    app = Fastify();
    app.get('/', (_request, reply) => reply.type('text/html').send(PAGE));
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    origin = `http://localhost:${port}`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    devTools = await page.context().newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    ({ authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
  });

  type Window = typeof globalThis & { readonly ceremonies: Ceremonies };
  const create = (options: object) =>
    page.evaluate((given) => (globalThis as unknown as Window).ceremonies.create(given), options);
  const get = (options: object) =>
    page.evaluate((given) => (globalThis as unknown as Window).ceremonies.get(given), options);

  const bench = (origins = [origin]) => testPasskeys({ rpId: 'localhost', origins });

  async function enrolled({ passkeys }: ReturnType<typeof testPasskeys>) {
    const principal = freshPrincipal();
    const response = await create(await passkeys.beginRegistration({ principal, account: 'ada' }));
    const summary = await passkeys.finishRegistration({ principal, response, name: 'laptop' });
    const ask = async () => (await passkeys.beginAuthentication({ principal, purpose: 'sign-in' }))!;
    const finish = (answer: AuthenticationResponseJSON) =>
      passkeys.finishAuthentication({ principal, purpose: 'sign-in', response: answer });
    return { principal, summary, ask, finish };
  }

  it('MFA-1: is registered, signs in twice, and its answer is accepted once', async () => {
    const { summary, ask, finish } = await enrolled(bench());
    expect(summary).toMatchObject({ kind: 'passkey', name: 'laptop', isBackedUp: false });
    const first = await get(await ask());
    expect(await finish(first)).toMatchObject({ kind: 'passkey', factorId: summary?.id });
    expect(await finish(first)).toBeNull();
    expect(await finish(await get(await ask()))).not.toBeNull();
  });

  it('MFA-1: from a page that is not of the origins is refused', async () => {
    const other = bench(['http://localhost:1']);
    const { summary } = await enrolled(other);
    expect(summary).toBeNull();
    expect(other.reasons()).toEqual(['wrong']);
  });

  it('MFA-1: without a verified user gets no answer from the browser', async () => {
    const { ask } = await enrolled(bench());
    await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await expect(ask().then((options) => get({ ...options, timeout: 2000 }))).rejects.toThrow('NotAllowedError');
  });

  it('MFA-1: without a verified user is refused if the page asks for none', async () => {
    const one = bench();
    const { ask, finish } = await enrolled(one);
    await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    expect(await finish(await get({ ...(await ask()), userVerification: 'discouraged' }))).toBeNull();
    expect(one.reasons()).toEqual(['wrong']);
  });

  it('MFA-1: of which somebody has a copy is refused when the copy is behind', async () => {
    const one = bench();
    const { ask, finish } = await enrolled(one);
    const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId });
    const [copy] = credentials;
    for (let use = 0; use < 2; use += 1) expect(await finish(await get(await ask()))).not.toBeNull();
    await devTools.send('WebAuthn.clearCredentials', { authenticatorId });
    await devTools.send('WebAuthn.addCredential', { authenticatorId, credential: copy! });
    expect(await finish(await get(await ask()))).toBeNull();
    expect(one.reasons()).toEqual(['cloned']);
  });
});
