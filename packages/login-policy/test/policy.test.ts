import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import {
  createLoginAttempts,
  LOGIN_POLICY_DEFAULTS,
  type LoginPolicy,
  type LoginPolicyOptions,
  LoginPolicySetupError,
} from '../src/index.js';
import { createTestEngine, inTurn, outcome, RIGHT, retryAfter, tally } from './guesses.js';

const start = (options: object) => () =>
  createLoginAttempts({ store: createMemoryStore(), ...options } as LoginPolicyOptions);

function refusalOf(start: () => unknown): LoginPolicySetupError | null {
  try {
    start();
    return null;
  } catch (error) {
    return error as LoginPolicySetupError;
  }
}

const COUNTS = [
  'failureWindowSeconds',
  'failureCount',
  'lockSeconds',
  'accountFailureCount',
  'ipFailureCount',
] as const;
const BAD_COUNTS = [-1, 1e12, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 'abc', '', null, '5 ', '5', true, [5], 5n];
const BAD_VALUES: [name: keyof LoginPolicy, value: unknown][] = [
  ...COUNTS.flatMap((name) => BAD_COUNTS.map((value) => [name, value] as [keyof LoginPolicy, unknown])),
  ...(['failureWindowSeconds', 'failureCount', 'lockSeconds'] as const).map((name) => [name, 0] as [typeof name, 0]),
  ...(['failureIncludeIpEnabled', 'ipWhitelistEnabled'] as const).flatMap((name) =>
    ['true', 0, 1, null, 'no'].map((value) => [name, value] as [keyof LoginPolicy, unknown]),
  ),
  ...[null, 1, ['1.2.3.4'], '1.2.3', '1.2.3.4,', '1.2.3.4;5.6.7.8'].map(
    (value) => ['ipWhitelistValues', value] as [keyof LoginPolicy, unknown],
  ),
];

describe('the policy as an object', () => {
  it.each(BAD_VALUES)('LP-24 refuses the start with %s %o', (name, value) => {
    expect(start({ policy: { [name]: value } })).toThrow(
      new RegExp(`policy.${name}( must be |: A list of IP addresses)`),
    );
  });

  it('LP-24 a missing or undefined value has its default', async () => {
    const { engine } = createTestEngine({ policy: { lockSeconds: 7, failureCount: undefined } as object });
    expect(tally(await inTurn(engine, 6))).toEqual({ failed: 5, LOGIN_LOCKED: 1 });
    expect(await retryAfter(engine)).toBe(7);
  });

  it('LP-24 later changes of the object are ignored: they would be unchecked', async () => {
    const policy = { failureCount: 2 };
    const { engine } = createTestEngine({ policy });
    policy.failureCount = Number.NaN;
    expect(tally(await inTurn(engine, 3))).toEqual({ failed: 2, LOGIN_LOCKED: 1 });
  });
});

describe('the policy as a function', () => {
  it.each(BAD_VALUES)(
    'LP-24 a %s of %o at run time refuses every attempt with 503, and nothing is verified',
    async (name, value) => {
      const { engine } = createTestEngine({ policy: () => ({ ...LOGIN_POLICY_DEFAULTS, [name]: value }) });
      let verified = 0;
      const attempt = engine.attempt(
        { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' },
        async () => ++verified,
      );
      await expect(attempt).rejects.toMatchObject({
        code: 'LOGIN_POLICY_UNAVAILABLE',
        statusCode: 503,
        message: 'Sign-ins cannot be checked at the moment',
        cause: { message: expect.stringMatching(`policy.${name}( must be |: A list of IP addresses)`) },
      });
      expect(verified).toBe(0);
    },
  );

  it.each([
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
    ['rejects', () => Promise.reject(new Error('away'))],
    ['yields nothing', () => undefined],
    ['yields null', async () => null],
    ['yields an incomplete policy', () => ({ failureCount: 5 })],
  ])('LP-24 one that %s refuses every attempt with 503', async (_what, policy) => {
    const { engine } = createTestEngine({ policy: policy as unknown as () => LoginPolicy });
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_POLICY_UNAVAILABLE');
    await expect(engine.explain({ username: 'ada' })).rejects.toMatchObject({ statusCode: 503 });
  });

  it.each(BAD_VALUES)(
    'LP-24 an object whose %s becomes %o after good attempts is refused, and serves again',
    async (name, value) => {
      const policy: Record<string, unknown> = { ...LOGIN_POLICY_DEFAULTS };
      const { engine } = createTestEngine({ policy: () => policy as unknown as LoginPolicy });
      expect(await outcome(engine, {}, RIGHT)).toBe('in');
      policy[name] = value;
      expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_POLICY_UNAVAILABLE');
      policy[name] = LOGIN_POLICY_DEFAULTS[name];
      expect(await outcome(engine, {}, RIGHT)).toBe('in');
    },
  );

  it('LP-24 a clear needs no policy', async () => {
    let policy: () => LoginPolicy = () => LOGIN_POLICY_DEFAULTS;
    const { engine } = createTestEngine({ policy: () => policy() });
    await inTurn(engine, 5);
    policy = () => {
      throw new Error('away');
    };
    await engine.clear({ username: 'ada' });
    policy = () => LOGIN_POLICY_DEFAULTS;
    expect(await outcome(engine, {}, RIGHT)).toBe('in');
  });

  it('LP-25 a failure count lowered at run time takes effect at once, on both nodes', async () => {
    let failureCount = 5;
    const options = { policy: async () => ({ ...LOGIN_POLICY_DEFAULTS, failureCount }) };
    const { engine, clock, store } = createTestEngine(options);
    const other = createLoginAttempts({ ...options, store, now: clock.now });
    await inTurn(engine, 3);
    failureCount = 3;
    expect(await outcome(other, {}, RIGHT)).toBe('LOGIN_LOCKED');
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    // A complete lock, though no failure began it.
    expect(await retryAfter(other)).toBe(600);
    failureCount = 5;
    expect(await outcome(other, {}, RIGHT)).toBe('LOGIN_LOCKED');
    clock.advance(600);
    expect(await outcome(other, {}, RIGHT)).toBe('in');
  });

  it('LP-25 a failure count raised at run time allows more attempts in the window', async () => {
    let failureCount = 5;
    const { engine } = createTestEngine({ policy: () => ({ ...LOGIN_POLICY_DEFAULTS, failureCount }) });
    await inTurn(engine, 4);
    failureCount = 7;
    expect(tally(await inTurn(engine, 5))).toEqual({ failed: 3, LOGIN_LOCKED: 2 });
  });
});

describe('options', () => {
  it('ADP-1 names every bad option at once, and no value', () => {
    const bad = {
      store: {},
      keyPrefix: '',
      terminals: ['Web'],
      onEvent: 1,
      now: 5,
      lockSecond: 'sesame',
      policy: { failureCount: 'sesame', failureCont: 3, ipWhitelistValues: 'sesame' },
    };
    const error = refusalOf(start(bad));
    expect(error).toBeInstanceOf(LoginPolicySetupError);
    expect(error).toMatchObject({ code: 'LOGIN_POLICY_SETUP_INVALID', subject: 'createLoginAttempts' });
    expect(error?.faults).toEqual([
      expect.stringMatching(/^lockSecond is not an option/),
      'store must be a store with get, set, increment, compareAndSet and compareAndDelete, such as one of ' +
        '@sallyport/ttl-store',
      expect.stringMatching(/^keyPrefix must be a string of 1 to 256 bytes/),
      'policy.failureCont is not an option; did you mean policy.failureCount?',
      expect.stringMatching(/^policy.failureCount must be a whole number from 1 to 100$/),
      expect.stringMatching(/^policy.ipWhitelistValues: A list of IP addresses .*; entry 1 is neither/),
      "terminals must be a list of one or more names in lower case, such as ['web']",
      'onEvent must be a function that takes an event',
      'now must be a function that returns milliseconds, such as Date.now',
    ]);
    expect(error?.message).not.toContain('sesame');
  });

  it('ADP-1 names a store that is missing', () => {
    expect(start({ store: undefined })).toThrow(/^createLoginAttempts: store is required: a store with get, set, /);
    expect(() => createLoginAttempts(undefined as never)).toThrow('store is required');
  });

  it.each([[[]], ['web'], [['web', '']], [['Web']], [[1]], [['w\0b']], [null]])(
    'LGN-4 refuses the start with terminals %o',
    (terminals) => {
      expect(start({ terminals })).toThrow(/terminals must be/);
    },
  );

  it.each([[null], ['strict'], [5], [[]]])('LP-24 refuses the start with a policy of %o', (policy) => {
    expect(start({ policy })).toThrow(/policy must be an object/);
  });
});
