import { createMemoryStore, type TtlStore } from '@sallyport/ttl-store';
import { createMemoryFactorRecords, createSecondFactors, type FactorRefusedEvent } from '../../src/index.js';
import { createPasskeys, type PasskeysOptions } from '../../src/passkeys/index.js';
import { freshPrincipal, KEY } from '../factor-bench.js';
import { createSoftwareAuthenticator, type Ways } from './software-authenticator.js';

export const SITE = { rpId: 'example.com', origin: 'https://admin.example.com' };

/** Passkeys with a clock that tests move, whose events they read. */
export function testPasskeys(more: Partial<PasskeysOptions> = {}) {
  let time = 1_700_000_000_000;
  const now = () => time;
  const events: FactorRefusedEvent[] = [];
  const records = createMemoryFactorRecords();
  const shared = {
    store: createMemoryStore({ now }) as TtlStore,
    records,
    now,
    onEvent: (event: FactorRefusedEvent) => void events.push(event),
  };
  const settings = { ...shared, rpId: SITE.rpId, rpName: 'Shop', origins: [SITE.origin], ...more };
  const passkeys = createPasskeys(settings);
  const factors = createSecondFactors({ ...shared, key: KEY, issuer: 'Shop' });

  /** Registers an authenticator. */
  async function register(principal: string, ways: Ways = {}, authenticator = createSoftwareAuthenticator(SITE)) {
    const options = await passkeys.beginRegistration({ principal, account: 'ada' });
    const summary = await passkeys.finishRegistration({ principal, response: authenticator.create(options, ways) });
    return { options, summary, authenticator };
  }

  /** An account with a passkey. */
  async function enrolled(ways: Ways = {}) {
    const principal = freshPrincipal();
    const { authenticator, options } = await register(principal, ways);
    const ask = async (purpose = 'sign-in') => (await passkeys.beginAuthentication({ principal, purpose }))!;
    const answer = async (given: Ways = {}, purpose = 'sign-in') =>
      passkeys.finishAuthentication({ principal, purpose, response: authenticator.get(await ask(), given) });
    return { principal, authenticator, options, ask, answer };
  }

  return {
    passkeys,
    factors,
    records,
    events,
    now,
    register,
    enrolled,
    another: (other: Partial<PasskeysOptions>) => createPasskeys({ ...settings, ...other }),
    reasons: () => events.splice(0).map(({ reason }) => reason),
    pass: (seconds: number) => {
      time += seconds * 1000;
    },
  };
}
