import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  callback,
  closestName,
  flag,
  group,
  listOf,
  nullable,
  objectWith,
  oneOf,
  option,
  optional,
  readOptions,
  SetupError,
  text,
  wholeNumber,
} from '../../src/options/index.js';

class ShopSetupError extends SetupError {
  constructor(subject: string, faults: readonly string[]) {
    super('SHOP_SETUP_INVALID', subject, faults);
  }
}

interface Shop {
  readonly name: string;
  readonly maxOrders: number;
  readonly mode: 'open' | 'closed';
  readonly store: { get(key: string): string };
  readonly now: () => number;
  readonly isLit: boolean;
  readonly tags: readonly string[];
  readonly limits: { readonly maxItems: number; readonly maxBytes: number };
  readonly log: { warn(): void } | null;
  readonly note: string | undefined;
}

const rules = {
  name: text({ maxLength: 10, what: 'the name of the shop' }),
  maxOrders: wholeNumber({ min: 1, max: 100, unit: 'orders', default: 10 }),
  mode: oneOf(['open', 'closed'], { default: 'open' }),
  store: objectWith<Shop['store']>({ methods: ['get'], meaning: 'a store with get' }),
  now: callback<() => number>({ that: 'returns milliseconds', default: Date.now }),
  isLit: flag({ default: false }),
  tags: listOf<string>((item) => typeof item === 'string', { meaning: 'a list of strings', default: [] }),
  limits: group({
    maxItems: wholeNumber({ min: 1, max: 9, default: 3 }),
    maxBytes: wholeNumber({ min: 1, max: 9, unit: 'bytes', default: 4 }),
  }),
  log: nullable(objectWith<{ warn(): void }>({ methods: ['warn'], meaning: 'a logger with warn' })),
  note: optional(text({ maxLength: 5 })),
};

const store = { get: (key: string) => key };
const owner = { subject: 'openShop', SetupError: ShopSetupError };
const read = (given: unknown) => readOptions<Shop>(owner, given, rules);

function faultsOf(given: unknown, how: (given: unknown) => unknown = read): readonly string[] {
  try {
    how(given);
  } catch (error) {
    return (error as SetupError).faults;
  }
  return [];
}

describe('readOptions', () => {
  test('ADP-1 puts every default in place, within groups too', () => {
    const options = read({ name: 'corner', store, limits: { maxItems: 5 }, note: undefined });
    expect(options).toEqual({
      name: 'corner',
      maxOrders: 10,
      mode: 'open',
      store,
      now: Date.now,
      isLit: false,
      tags: [],
      limits: { maxItems: 5, maxBytes: 4 },
      log: null,
      note: undefined,
    });
    expectTypeOf(options).toEqualTypeOf<Shop>();
  });

  test('ADP-1 names every fault in one error with a code', () => {
    const given = { maxOrder: 5, maxOrders: 0, mode: 'ajar', store: {}, now: 5, isLit: 1, tags: ['a', 2], log: {} };
    expect(faultsOf(given)).toEqual([
      'maxOrder is not an option; did you mean maxOrders?',
      'name is required: the name of the shop, 1 to 10 characters',
      'maxOrders must be a whole number of orders from 1 to 100',
      "mode must be 'open' or 'closed'",
      'store must be a store with get',
      'now must be a function that returns milliseconds',
      'isLit must be true or false',
      'tags must be a list of strings',
      'log must be a logger with warn',
    ]);
    expect(() => read(given)).toThrow(ShopSetupError);
    expect(() => read(given)).toThrow(expect.objectContaining({ code: 'SHOP_SETUP_INVALID', subject: 'openShop' }));
  });

  test('ADP-1 names options within a group by their path', () => {
    expect(faultsOf({ name: 'a', store, limits: { maxItem: 1, maxBytes: 'x' } })).toEqual([
      'limits.maxItem is not an option; did you mean limits.maxItems?',
      'limits.maxBytes must be a whole number of bytes from 1 to 9',
    ]);
    expect(faultsOf({ name: 'a', store, limits: [] })).toEqual(['limits must be an object of options']);
  });

  test('ADP-1 suggests the full path of an option that was given beside its group, unless two groups have it', () => {
    expect(faultsOf({ name: 'a', store, maxItems: 1, maxByte: 2 })).toEqual([
      'maxItems is not an option; did you mean limits.maxItems?',
      'maxByte is not an option; did you mean limits.maxBytes?',
    ]);
    const one = group({ colour: flag({ default: true }) });
    const faults = faultsOf({ colour: true }, (value) => readOptions<object>(owner, value, { one, other: one }));
    expect(faults).toEqual(['colour is not an option; the options are one, other']);
  });

  test('ADP-1 lists the options where no known name is near', () => {
    expect(faultsOf({ name: 'a', store, zebra: 1 })).toEqual([
      `zebra is not an option; the options are ${Object.keys(rules).join(', ')}`,
    ]);
  });

  test.each([null, 5, 'options', [], () => {}])('ADP-1 takes an object or nothing: %o', (given) => {
    const bad = given === null ? [] : ['the options must be an object'];
    expect(faultsOf(given, (value) => readOptions<object>(owner, value, {}))).toEqual(bad);
  });

  test('a plugin also takes the options of `register`', () => {
    const given = { prefix: '/v1', logLevel: 'warn', logSerializers: {} };
    expect(readOptions<object>({ ...owner, isPlugin: true }, given, {})).toEqual({});
    expect(faultsOf(given, (value) => readOptions<object>(owner, value, {}))).toHaveLength(3);
  });

  test('relations between options see those without a fault of their own', () => {
    interface Span {
      readonly from: number;
      readonly to: number;
    }
    const spanRules = { from: wholeNumber({ min: 0, max: 9 }), to: wholeNumber({ min: 0, max: 9 }) };
    const readSpan = (given: unknown) =>
      readOptions<Span>(owner, given, spanRules, ({ from, to }) =>
        from !== undefined && to !== undefined && from > to ? ['from must not exceed to'] : [],
      );
    expect(faultsOf({ from: 5, to: 4 }, readSpan)).toEqual(['from must not exceed to']);
    expect(faultsOf({ from: 5, to: 'x' }, readSpan)).toEqual(['to must be a whole number from 0 to 9']);
    expect(readSpan({ from: 4, to: 5 })).toEqual({ from: 4, to: 5 });
  });

  test('an option may have a rule of its own, with several faults and another shape', () => {
    const ports = option<ReadonlySet<number>>({
      meaning: 'a list of ports',
      accepts: Array.isArray,
      faults: (value: number[], name) =>
        value.filter((port) => port > 65_535).map((_, at) => `${name}[${at}] is no port`),
      read: (value: number[]) => new Set(value),
    });
    const readPorts = (given: unknown) => readOptions<{ ports: ReadonlySet<number> }>(owner, given, { ports });
    expect(readPorts({ ports: [1, 2] }).ports).toEqual(new Set([1, 2]));
    expect(faultsOf({ ports: [70_000] }, readPorts)).toEqual(['ports[0] is no port']);
    expect(faultsOf({}, readPorts)).toEqual(['ports is required: a list of ports']);
  });

  test('ADP-1 never repeats a value: it may be a secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 40 }), (secret) => {
        const given = { ...Object.fromEntries(Object.keys(rules).map((name) => [name, secret])), note: secret };
        expect(faultsOf(given).join('\n')).not.toContain(secret);
      }),
    );
  });

  test('ADP-1 a promise is named as one: `await` is missing', () => {
    const faults = faultsOf({ name: 'a', store: Promise.resolve(store) });
    expect(faults).toEqual([expect.stringMatching(/^store must be .*; it is a promise: write `await` before it$/)]);
  });

  test('ADP-1 no name that is not an option gets through', () => {
    fc.assert(
      fc.property(
        fc.string().filter((name) => !Object.hasOwn(rules, name)),
        (name) => {
          const given = Object.defineProperty({ name: 'a', store }, name, { value: 1, enumerable: true });
          expect(faultsOf(given)[0]).toContain(`${name} is not an option`);
        },
      ),
    );
  });
});

describe('closestName', () => {
  test.each([
    ['encryptionMode', 'mode'],
    ['trustedProxy', 'trustedProxies'],
    ['replayTtl', 'replayTtlSeconds'],
    ['maxEntry', 'maxEntries'],
    ['maxAge', 'maxAgeMillis'],
    ['MODE', 'mode'],
    ['stroe', 'store'],
    ['max', 'maximum'],
    ['min', 'minimum'],
    ['key', null],
    ['pre', null],
    ['mi', null],
    ['zebra', null],
    ['id', null],
  ])('ADP-1 %s suggests %s', (given, meant) => {
    const known = [
      ...['mode', 'trustedProxies', 'replayTtlSeconds', 'maxEntries', 'maxBytes', 'maxAgeMillis', 'store'],
      ...['minimum', 'maximum', 'keyPrefix', 'prefixLength'],
    ];
    expect(closestName(given, known)).toBe(meant);
  });
});
