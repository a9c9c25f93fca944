import { callFor } from '../api-client.js';
import type { Attack } from './attack.js';
import { guessesAtAnyName, guessesAtName, guessesFromAddress, guessesWithSession, guessesWithToken } from './bounds.js';
import { stepAt } from './clock.js';
import { administrator, type HonestUser } from './honest.js';
import { ipv4Network, type Network, networksOf48, networksOf64, oneAddress } from './networks.js';
import { type PasswordGuesserOptions, passwordGuesser } from './password-guesser.js';
import { type Account, newAdministrator, type Stage } from './stage.js';

/** Those who take part in a run. */
export interface Cast {
  readonly attacks: Attack[];
  readonly honest: HonestUser[];
}

/** In ten minutes, more than any counter of a name allows. */
const fast = (minute: number) => 4 + 2 * stepAt(minute);

/** In ten minutes, more than the counter of an address allows, and below its rate limit. */
const FAST_FROM_ONE = 15;

/** One below the limit over all addresses in each window of ten minutes: no lock ever begins. */
const slowly = (minute: number) => 2 * stepAt(minute) - (minute % 10 === 0 ? 1 : 0);

const NAMES_SPRAYED = 50;
/** With the attempts of the forgetful one, fewer in a minute than the rate limit of their address. */
const OFFICE_SIZE = 12;

/** Administrators, and those who guess their passwords. */
export async function passwordCast(stage: Stage, origin: string): Promise<Cast> {
  const cast: Cast = { attacks: [], honest: [] };
  let homes = 0;
  const home = () => ipv4Network(1)(homes++);

  /** An administrator who signs in from a network of his own, every ten minutes. */
  async function owner(name: string, who: string, keepsToken = true, mayBeRefused: string | null = null) {
    const account = await newAdministrator(origin, stage.token, name);
    const options = { who, account, address: home(), every: 10, keepsToken, mayBeRefused, mistypesEvery: 6 };
    cast.honest.push(administrator(stage, options));
    return account;
  }

  function attack(
    options: Omit<PasswordGuesserOptions, 'victim'> & Partial<Pick<PasswordGuesserOptions, 'victim'>>,
    victim?: Account,
  ) {
    const credentials = () => ({ username: victim?.username, terminal: 'web' });
    cast.attacks.push(passwordGuesser(stage, { victim: credentials, ...options }));
  }

  const networks: readonly (readonly [what: string, name: string, from: string, network: Network])[] = [
    ['fast guesser', 'known-ipv4', '200 IPv4 addresses', ipv4Network(16, 200)],
    ['fast guesser', 'known-64', '60 000 /64s of one /48', networksOf64(0x64, 60_000)],
    ['fast guesser', 'known-48', '5000 /48s', networksOf48(0x1000, 5000)],
  ];
  for (const [what, name, from, network] of networks) {
    const victim = await owner(name, `administrator under attack from ${from}, known device`);
    attack({ attack: what, from, network, perMinute: fast, bound: guessesAtName }, victim);
  }

  const slow = await owner('known-slow', 'administrator under slow attack, known device');
  attack(
    {
      attack: 'slow guesser',
      from: '5000 /48s',
      network: networksOf48(0x3000, 5000),
      perMinute: slowly,
      bound: guessesAtName,
    },
    slow,
  );

  const near = await owner('known-near', 'administrator guessed at from one address');
  attack(
    {
      attack: 'guesser',
      from: '1 address',
      network: oneAddress('198.18.40.1'),
      perMinute: fast,
      bound: guessesFromAddress,
    },
    near,
  );

  await forgedTokens();
  await unknownDevice();
  await stolenToken();
  await stolenSession('1 address', oneAddress('198.18.41.1'));
  await stolenSession('5000 /48s', networksOf48(0x5000, 5000));
  await spraying();
  await office();
  return cast;

  async function forgedTokens(): Promise<void> {
    const victim = await owner('known-forged', 'administrator under attack with forged device tokens, known device');
    const deviceToken = (index: number) => Buffer.alloc(32, `forged ${index}`).toString('base64url');
    attack({
      attack: 'guesser with forged device tokens',
      from: '5000 /48s',
      network: networksOf48(0x7000, 5000),
      perMinute: fast,
      victim: (index) => ({ username: victim.username, terminal: 'web', deviceToken: deviceToken(index) }),
      bound: guessesAtName,
    });
  }

  async function unknownDevice(): Promise<void> {
    const why = 'LGN-12: no device token, under attack from many networks';
    const victim = await owner('known-nowhere', 'administrator under attack, unknown device', false, why);
    attack(
      {
        attack: 'fast guesser',
        from: '200 IPv4 addresses',
        network: ipv4Network(18, 200),
        perMinute: fast,
        bound: guessesAtName,
      },
      victim,
    );
  }

  async function stolenToken(): Promise<void> {
    const victim = await owner('known-device', 'administrator, one of whose device tokens was stolen');
    const body = { username: victim.username, password: victim.password, terminal: 'web' };
    const { deviceToken } = await callFor(200, origin, '/admin/auth/login', { body });
    attack({
      attack: 'thief of a device token',
      from: '5000 /48s',
      network: networksOf48(0x9000, 5000),
      perMinute: fast,
      victim: () => ({ username: victim.username, terminal: 'web', deviceToken }),
      // With the token, and then as a stranger.
      bound: (minutes) => ({
        bound: guessesAtName(minutes).bound + guessesWithToken(minutes).bound,
        source: `${guessesAtName(minutes).source}; ${guessesWithToken(minutes).source}`,
      }),
    });
  }

  async function stolenSession(from: string, network: Network): Promise<void> {
    const victim = await owner(
      `known-session-${cast.attacks.length}`,
      `administrator whose session was stolen, to ${from}`,
    );
    const body = { username: victim.username, password: victim.password, terminal: 'web' };
    const { token } = await callFor(200, origin, '/admin/auth/login', { body });
    attack(
      {
        attack: 'thief of a session, old password',
        from,
        network,
        perMinute: fast,
        path: '/admin/profile/password',
        request: (password) => ({ method: 'PUT', token, body: { oldPassword: password, newPassword: 'd'.repeat(64) } }),
        bound: guessesWithSession,
      },
      victim,
    );
  }

  /**
   * Each of fifty names every other minute, so that no name is locked. Some exist, and sign in from unknown devices.
   */
  async function spraying(): Promise<void> {
    const names = Array.from({ length: NAMES_SPRAYED }, (_, index) => `sprayed-${index}`);
    for (const name of names.slice(0, 3)) await owner(name, 'administrator among the sprayed, unknown device', false);
    const addresses = 12;
    attack({
      attack: 'sprayer',
      from: `${addresses} IPv4 addresses`,
      network: ipv4Network(20, addresses),
      names: NAMES_SPRAYED,
      perMinute: (minute) => (minute % 2 === 0 ? NAMES_SPRAYED : 0),
      victim: (index) => ({ username: names[index % NAMES_SPRAYED], terminal: 'web' }),
      bound: (minutes) => guessesAtAnyName(minutes, addresses),
    });
  }

  /** An office behind one address. One of them has forgotten a password; in a second office, one is an attacker. */
  async function office(): Promise<void> {
    await colleagues(
      'office',
      '198.18.44.1',
      'administrators of an office in which one has forgotten a password',
      null,
    );
    const forgetful = await newAdministrator(origin, stage.token, 'office-forgetful');
    attack(
      {
        attack: 'forgetful colleague',
        from: 'the address of an office',
        network: oneAddress('198.18.44.1'),
        perMinute: (minute) => (minute % 3 === 0 ? 2 : 0),
        bound: guessesFromAddress,
      },
      forgetful,
    );

    await colleagues(
      'inside',
      '198.18.45.1',
      'administrators in the network of an attacker',
      'shares the address of the attacker',
    );
    attack({
      attack: 'guesser at many names',
      from: 'the address of an office',
      network: oneAddress('198.18.45.1'),
      names: 1000,
      perMinute: () => FAST_FROM_ONE,
      victim: (index) => ({ username: `nobody-${index % 1000}`, terminal: 'web' }),
      bound: (minutes) => guessesAtAnyName(minutes, 1),
    });
  }

  async function colleagues(name: string, address: string, who: string, mayBeRefused: string | null): Promise<void> {
    // One after the other: one client may not fill the queue of the hashes.
    for (let first = 0; first < OFFICE_SIZE; first += 1) {
      const account = await newAdministrator(origin, stage.token, `${name}-${first}`);
      const options = { who, account, address, every: 30, first, keepsToken: true, mayBeRefused };
      cast.honest.push(administrator(stage, options));
    }
  }
}
