import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import loginPolicy, {
  createLoginAttempts,
  type IsFailure,
  type LoginPolicyEvent,
  type LoginPolicyOptions,
  type Verified,
} from '../src/index.js';
import { createTestEngine, inTurn, outcome, RIGHT, tally } from './guesses.js';

const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };

/** A rejection as HTTP libraries make it. */
const withStatus = (members: object) => Object.assign(new Error('refused'), { code: 'REFUSED' }, members);

/** What the engine logs. */
function createLog() {
  const lines: { readonly err: unknown; readonly message: string }[] = [];
  return {
    lines,
    log: {
      error: (details: object, message: string) => void lines.push({ err: Reflect.get(details, 'err'), message }),
    },
  };
}

/** What the counters of `ada` hold, after attempts with one outcome. */
async function countsAfter(
  attempts: number,
  verify: () => Promise<unknown>,
  options: Partial<LoginPolicyOptions> = {},
): Promise<{ readonly failures: number; readonly inFlight: number }[]> {
  const { engine } = createTestEngine(options);
  for (let n = 0; n < attempts; n++) await engine.attempt(subject, verify).catch(() => null);
  const { counters } = await engine.explain(subject);
  return counters.map((report) =>
    report.state === 'counting'
      ? { failures: report.failures, inFlight: report.inFlight }
      : { failures: report.limit, inFlight: 0 },
  );
}

const FAILED_TWICE = Array.from({ length: 3 }, () => ({ failures: 2, inFlight: 0 }));
const KEPT_TWICE = Array.from({ length: 3 }, () => ({ failures: 0, inFlight: 2 }));
const NOTHING = Array.from({ length: 3 }, () => ({ failures: 0, inFlight: 0 }));

describe('a result', () => {
  const failed = [null, undefined, false, 0, -0, '', 0n, Number.NaN, [], { ok: false }, { success: false, error: {} }];
  const inherited = Object.create({ valid: false });

  it.each([...failed, { valid: false }, { ok: true, valid: false }, inherited])(
    'ADP-6 %o has failed: it is counted, and attempt resolves to null',
    async (result) => {
      expect(await countsAfter(2, async () => result)).toEqual(FAILED_TWICE);
      const { engine } = createTestEngine();
      expect(await engine.attempt(subject, async () => result)).toBeNull();
    },
  );

  const passed = [true, 1, 'u-1', { id: 'u-1' }, [null], [{ ok: false }], new Map(), () => false, { ok: true }];
  it.each([...passed, { ok: 0 }, { ok: null }, { success: undefined }, { valid: 'false' }, { isOk: false }, {}])(
    'ADP-6 %o is a success, and attempt resolves to it',
    async (result) => {
      const { engine } = createTestEngine();
      await inTurn(engine, 4);
      expect(await engine.attempt(subject, async () => result)).toBe(result);
      expect(tally(await inTurn(engine, 4))).toEqual({ failed: 4 });
    },
  );

  it('ADP-6 the type of a success has no failed members', () => {
    type Checked = { ok: true; id: string } | { ok: false; reason: string };
    expectTypeOf<Verified<Checked>>().toEqualTypeOf<{ ok: true; id: string }>();
    expectTypeOf<
      Verified<{ success: false } | { valid: false } | [] | null | undefined | false | 0 | ''>
    >().toBeNever();
    expectTypeOf<Verified<{ id: string } | null>>().toEqualTypeOf<{ id: string }>();
    expectTypeOf<Verified<boolean | string>>().toEqualTypeOf<true | string>();
    expectTypeOf<Verified<{ id: string }[]>>().toEqualTypeOf<{ id: string }[]>();
    expectTypeOf<Verified<{ ok: boolean }>>().toEqualTypeOf<{ ok: boolean }>();
    expectTypeOf<Verified<unknown>>().toBeUnknown();
  });
});

describe('a rejection', () => {
  it.each([
    { statusCode: 400 },
    { statusCode: 401 },
    { status: 401 },
    { status: 403, statusCode: undefined },
    { statusCode: 422 },
    { statusCode: 499 },
    { statusCode: 500, status: 401 },
  ])('ADP-6 with %o is counted like a failure, with locks and events, and goes on unchanged', async (members) => {
    const error = withStatus(members);
    const events: LoginPolicyEvent[] = [];
    const { lines, log } = createLog();
    const { engine } = createTestEngine({ onEvent: (event) => void events.push(event), log });
    for (let n = 0; n < 5; n++) await expect(engine.attempt(subject, () => Promise.reject(error))).rejects.toBe(error);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
    expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 5 }, () => 'failed'), 'locked', 'refused']);
    expect(events[4]).toMatchObject({ failures: 5, account: { username: 'ada', terminal: 'web' } });
    expect(lines).toEqual([]);
  });

  it('ADP-6 of parallel attempts that reject with 401 exactly as many as the limit are verified', async () => {
    const { engine } = createTestEngine();
    const wrong = () => Promise.reject(withStatus({ statusCode: 401 }));
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcome(engine, {}, wrong)));
    expect(tally(outcomes)).toEqual({ REFUSED: 5, LOGIN_LOCKED: 45 });
  });

  it('ADP-6 that can not be counted is not passed off as counted: attempt rejects with the reason', async () => {
    const { engine } = createTestEngine({
      onEvent: () => Promise.reject(Object.assign(new Error('audit away'), { code: 'AUDIT_UNAVAILABLE' })),
    });
    expect(await outcome(engine, {}, () => Promise.reject(withStatus({ statusCode: 401 })))).toBe('AUDIT_UNAVAILABLE');
  });

  it.each([
    new Error('no status'),
    withStatus({ statusCode: 408 }),
    withStatus({ statusCode: 429 }),
    withStatus({ status: 429 }),
    withStatus({ statusCode: 399 }),
    withStatus({ statusCode: 500 }),
    withStatus({ statusCode: 503, status: 503 }),
    withStatus({ statusCode: '401' }),
    withStatus({ status: 'failed' }),
    'a text',
    404,
    null,
    undefined,
  ])('ADP-6 with %o keeps its place, is logged at error, and goes on unchanged', async (error) => {
    const { lines, log } = createLog();
    const options = { log };
    expect(await countsAfter(2, () => Promise.reject(error), options)).toEqual(KEPT_TWICE);
    expect(lines.map(({ err }) => err)).toEqual([error, error]);
    expect(lines[0]?.message).toMatch(/keeps its place for 60 s/);
    const { engine } = createTestEngine();
    const reason = await engine.attempt(subject, () => Promise.reject(error)).catch((thrown: unknown) => ({ thrown }));
    expect(reason).toEqual({ thrown: error });
  });

  it('ADP-6 a verification that throws instead of rejecting is the same', async () => {
    const throwing = (error: unknown) => (): Promise<null> => {
      throw error;
    };
    expect(await countsAfter(2, throwing(withStatus({ status: 401 })))).toEqual(FAILED_TWICE);
    expect(await countsAfter(2, throwing(new TypeError('x')))).toEqual(KEPT_TWICE);
  });
});

describe('isFailure', () => {
  it('ADP-6 receives { result } or { error }, and no other member', async () => {
    const received: unknown[] = [];
    const { engine } = createTestEngine({
      isFailure: (verification) => {
        received.push(verification);
        return undefined;
      },
    });
    const error = new Error('away');
    await engine.attempt(subject, async () => null);
    await engine.attempt(subject, () => Promise.reject(error)).catch(() => null);
    await engine.attempt(subject, () => Promise.reject()).catch(() => null);
    expect(received).toStrictEqual([{ result: null }, { error }, { error: undefined }]);
  });

  it('ADP-6 true makes any result and any rejection a failure', async () => {
    const isFailure = () => true;
    expect(await countsAfter(2, RIGHT, { isFailure })).toEqual(FAILED_TWICE);
    expect(await countsAfter(2, () => Promise.reject(new Error('away')), { isFailure })).toEqual(FAILED_TWICE);
    const { engine } = createTestEngine({ isFailure });
    expect(await engine.attempt(subject, RIGHT)).toBeNull();
  });

  it('ADP-6 false makes any result a success', async () => {
    const { engine } = createTestEngine();
    for (const result of [undefined, null, [], { ok: false }]) {
      await inTurn(engine, 4);
      expect(await engine.attempt(subject, async () => result, { isFailure: () => false })).toBe(result);
    }
  });

  it('ADP-6 false gives the place of a rejection back at once, without a log', async () => {
    const { lines, log } = createLog();
    const options: Partial<LoginPolicyOptions> = { log, isFailure: ({ error }) => (error ? false : undefined) };
    for (const members of [{ statusCode: 401 }, { statusCode: 422 }, { statusCode: 503 }, {}]) {
      expect(await countsAfter(20, () => Promise.reject(withStatus(members)), options)).toEqual(NOTHING);
    }
    expect(lines).toEqual([]);
  });

  it('ADP-6 that of the attempt is asked first, then that of the engine, then the rules decide', async () => {
    const asked: string[] = [];
    const answering =
      (name: string, answer: boolean | undefined): IsFailure =>
      () => {
        asked.push(name);
        return answer;
      };
    const { engine } = createTestEngine({ isFailure: answering('engine', true) });
    const own = { isFailure: answering('attempt', false) };
    expect(await engine.attempt(subject, RIGHT, own)).toEqual({ id: 'u-1' });
    expect(asked.splice(0)).toEqual(['attempt']);
    expect(await engine.attempt(subject, RIGHT, { isFailure: answering('attempt', undefined) })).toBeNull();
    expect(asked.splice(0)).toEqual(['attempt', 'engine']);
    const { engine: silent } = createTestEngine({ isFailure: answering('engine', undefined) });
    expect(await silent.attempt(subject, RIGHT, {})).toEqual({ id: 'u-1' });
  });

  const broken: readonly (readonly [string, () => unknown])[] = [
    ['that throws', () => (null as unknown as { code: string }).code],
    ['that returns a promise', async () => false],
    ['that returns a promise that rejects', () => Promise.reject(new Error('late'))],
    ['that returns null', () => null],
    ['that returns a text', () => 'false'],
  ];

  it.each(broken)('ADP-6 %s counts the attempt as a failure, and lets nobody in', async (_name, decide) => {
    const isFailure = decide as IsFailure;
    for (const verify of [RIGHT, async () => null, () => Promise.reject(withStatus({ statusCode: 503 }))]) {
      expect(await countsAfter(2, verify, { isFailure })).toEqual(FAILED_TWICE);
    }
    const { lines, log } = createLog();
    const { engine } = createTestEngine({ isFailure, log });
    await expect(engine.attempt(subject, RIGHT)).rejects.toBeInstanceOf(TypeError);
    const away = withStatus({ statusCode: 503 });
    await expect(engine.attempt(subject, () => Promise.reject(away))).rejects.toBe(away);
    expect(lines.map(({ err }) => err)).toEqual([expect.any(TypeError), expect.any(TypeError)]);
    expect(lines[0]?.message).toMatch(/counted as a failure/);
    // A mistake that only wrong passwords provoke gives no free guesses.
    await inTurn(engine, 3);
    expect(await outcome(engine, {}, RIGHT)).toBe('LOGIN_LOCKED');
  });

  it('ADP-6 types: the result is that of the verification', async () => {
    const { engine } = createTestEngine();
    const user = await engine.attempt(subject, async () => ({ kind: 'LOCKED' as 'LOCKED' | 'OPEN' }), {
      isFailure({ result, error }) {
        expectTypeOf(result).toEqualTypeOf<{ kind: 'LOCKED' | 'OPEN' } | undefined>();
        expectTypeOf(error).toBeUnknown();
        return result?.kind === 'LOCKED';
      },
    });
    expect(user).toBeNull();
  });

  it('ADP-1 options of another type are refused by name', () => {
    const store = createMemoryStore();
    const opening = (options: object) => () => createLoginAttempts({ store, ...options });
    expect(opening({ isFailure: true })).toThrow(/isFailure must be a function that takes \{ result \} or \{ error \}/);
    expect(opening({ log: {} })).toThrow('log must be a logger with error, such as app.log');
    expect(opening({ isfailure: () => true })).toThrow('isfailure is not an option; did you mean isFailure?');
    expect(opening({ log: null })).not.toThrow();
  });
});

describe('in Fastify', () => {
  it('ADP-6 logs a broken verification with app.log at error, and answers with its error', async () => {
    const lines: string[] = [];
    const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } });
    onTestFinished(() => app.close());
    await app.register(loginPolicy, { store: createMemoryStore() });
    app.post('/login', () =>
      app.loginPolicy.attempt({ username: 'hunter2', terminal: 'web', clientIp: '192.0.2.7' }, () =>
        Promise.reject(Object.assign(new Error('The directory is away'), { statusCode: 503 })),
      ),
    );
    const answers = [];
    for (let n = 0; n < 7; n++) answers.push((await app.inject({ method: 'POST', url: '/login' })).statusCode);
    expect(answers).toEqual([503, 503, 503, 503, 503, 429, 429]);
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /keeps its place/.test(msg));
    expect(logged).toHaveLength(5);
    expect(logged[0]).toMatchObject({ level: 50, err: { message: 'The directory is away' } });
    // People type passwords into the wrong field.
    expect(lines.join()).not.toContain('hunter2');
  });

  it('ADP-6 asks the isFailure of the plugin and that of the attempt', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    const isFailure: IsFailure = ({ error }) => (error === 'plugin' ? false : undefined);
    await app.register(loginPolicy, { store: createMemoryStore(), isFailure });
    const attempt = (reason: string) =>
      app.loginPolicy
        .attempt(subject, () => Promise.reject(reason), {
          isFailure: ({ error }) => (error === 'own' ? false : undefined),
        })
        .catch((error: unknown) => error);
    for (const reason of ['plugin', 'own']) {
      for (let n = 0; n < 10; n++) expect(await attempt(reason)).toBe(reason);
    }
    for (let n = 0; n < 5; n++) expect(await attempt('other')).toBe('other');
    expect(await attempt('other')).toMatchObject({ code: 'LOGIN_LOCKED' });
  });
});
