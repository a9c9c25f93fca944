import { drizzle } from 'drizzle-orm/pglite';
import Fastify from 'fastify';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { openTestEmbedded } from '../../../scripts/test-embedded.js';
import {
  createMemorySource,
  createSystemParameters,
  defineParameterTable,
  type ParameterDefinitions,
  SystemParametersSetupError,
  systemParameters,
} from '../src/index.js';
import { createPostgresNotifier, createPostgresSource, createSystemParametersTable } from '../src/postgres/index.js';
import { createRedisNotifier } from '../src/redis/index.js';
import { loginParameters, passwordParameters, tables } from './login-parameters.js';

const basics = { isPublic: false, description: 'For a test' } as const;
const source = createMemorySource();

function setupFault(definitions: Record<string, unknown>, rules?: () => string[]): string {
  try {
    const table = { definitions: definitions as ParameterDefinitions, ...(rules && { rules }) };
    createSystemParameters({ tables: [table], source });
  } catch (error) {
    expect(error).toBeInstanceOf(SystemParametersSetupError);
    return (error as Error).message;
  }
  throw new Error('the start was not refused');
}

describe('definitions', () => {
  it('SYS-1 type the values that are read', async () => {
    const parameters = createSystemParameters({ tables, source });
    const values = await parameters.read(loginParameters);
    expectTypeOf(values.failureCount).toEqualTypeOf<number>();
    expectTypeOf(values.ipWhitelistEnabled).toEqualTypeOf<boolean>();
    expectTypeOf(values.ipWhitelistValues).toEqualTypeOf<string>();
    expect(values).toEqual({
      failureWindowSeconds: 600,
      failureCount: 5,
      ipWhitelistEnabled: false,
      ipWhitelistValues: '',
    });
  });

  it('API-4 carry a group, a unit and translations, which an administrator sees with the bounds', async () => {
    const group = { name: 'shop-window', texts: { en: 'Shop window', 'zh-CN': '橱窗' } };
    const shared = { ...basics, group, translations: { 'zh-CN': '测试' } };
    const definitions = {
      size: { ...shared, key: 'size', type: 'INTEGER', default: 5, minimum: 1, maximum: 9, unit: 'seconds' },
      name: { ...shared, key: 'name', type: 'STRING', default: '', maxLength: 20 },
      plain: { ...basics, key: 'plain', type: 'STRING', default: '' },
      tone: { ...basics, key: 'tone', type: 'STRING', default: 'dark', values: ['dark', 'light'] },
    } as const;
    const [name, plain, size, tone] = await createSystemParameters({ tables: [{ definitions }], source }).list();
    const texts = { en: 'For a test', 'zh-CN': '测试' };
    const unit = { name: 'seconds', texts: { en: 'seconds', 'zh-CN': '秒' } };
    expect(size).toMatchObject({ group, texts, unit, minimum: 1, maximum: 9, maxLength: null });
    expect(name).toMatchObject({ group, texts, unit: null, minimum: null, maximum: null, maxLength: 20 });
    expect(plain).toMatchObject({
      group: null,
      texts: { en: 'For a test' },
      unit: null,
      maxLength: 4000,
      values: null,
    });
    expect(tone).toMatchObject({ values: ['dark', 'light'] });
    expect(size).toMatchObject({ values: null });
  });

  it.each([
    [{ group: 'shop' }, 'size group must be { name, texts }'],
    [{ group: { name: 'Shop', texts: { en: 'Shop' } } }, 'size group must be'],
    [{ group: { name: 'shop', texts: { 'zh-CN': '橱窗' } } }, 'size group must be'],
    [{ translations: { 'zh-CN': ' ' } }, 'size translations must be texts by language'],
    [{ translations: { en: 'twice' } }, 'without en, which is the description'],
    [{ unit: 'secnds' }, 'size unit must be one of count, milliseconds, seconds'],
  ])('API-4 the start is refused for %j', (wrong, sentence) => {
    const size = { ...basics, key: 'size', type: 'INTEGER', default: 5, ...wrong };
    expect(setupFault({ size })).toContain(sentence);
  });

  it('API-4 a unit is of numbers alone', () => {
    const isOpen = { ...basics, key: 'is-open', type: 'BOOLEAN', default: true, unit: 'seconds' };
    expect(setupFault({ isOpen })).toContain('unit');
  });

  it('SYS-2 type the arguments of rules and guard', () => {
    const table = defineParameterTable({
      definitions: passwordParameters,
      rules: (values) => {
        expectTypeOf(values.minLength).toEqualTypeOf<number>();
        expectTypeOf(values.requireDigit).toEqualTypeOf<boolean>();
        return [];
      },
    });
    expect(() => createSystemParameters({ tables: [table], source })).not.toThrow();
  });

  it.each([
    [
      'min 10, default 5',
      { key: 'a.b', type: 'LONG', default: 5, minimum: 10 },
      /a\.b default must be a whole number from 10/,
    ],
    ['a text for a number', { key: 'a.b', type: 'LONG', default: '5' }, /a\.b default must be a number/],
    ['a default of another type', { key: 'a.b', type: 'BOOLEAN', default: 0 }, /a\.b default must be a boolean/],
    ['no default', { key: 'a.b', type: 'STRING' }, /a\.b default must be a string/],
    [
      'a default against its check',
      { key: 'a.b', type: 'STRING', default: '', check: () => 'is never right' },
      /a\.b default is never right/,
    ],
    [
      'a default that is none of its values',
      { key: 'a.b', type: 'STRING', default: 'c', values: ['a', 'b'] },
      /a\.b default must be one of a, b/,
    ],
    ['no values', { key: 'a.b', type: 'STRING', default: '', values: [] }, /values must be a list of different texts/],
    [
      'a value twice',
      { key: 'a.b', type: 'STRING', default: 'a', values: ['a', 'a'] },
      /values must be a list of different texts/,
    ],
    ['a default too long', { key: 'a.b', type: 'STRING', default: 'abc', maxLength: 2 }, /at most 2/],
    [
      'a fallback out of range',
      { key: 'a.b', type: 'INTEGER', default: 1, maximum: 2, fallback: 3 },
      /a\.b fallback must be/,
    ],
    [
      '33 bits',
      { key: 'a.b', type: 'INTEGER', default: 1, maximum: 2 ** 32 },
      /a\.b maximum must be a whole number that fits INTEGER/,
    ],
    ['an empty range', { key: 'a.b', type: 'LONG', default: 1, minimum: 2, maximum: 1 }, /minimum must not be greater/],
    ['another type', { key: 'a.b', type: 'FLOAT', default: 1 }, /a\.b type must be STRING, INTEGER, LONG or BOOLEAN/],
    [
      'a key with capitals',
      { key: 'a.B', type: 'BOOLEAN', default: true },
      /definitions\.it\.key must be lower-case words/,
    ],
    [
      'a key too long for the router',
      { key: 'a'.repeat(101), type: 'BOOLEAN', default: true },
      /definitions\.it\.key must be lower-case words/,
    ],
    [
      'no description',
      { key: 'a.b', type: 'BOOLEAN', default: true, description: ' ' },
      /a\.b description must not be blank/,
    ],
    ['no public flag', { key: 'a.b', type: 'BOOLEAN', default: true, isPublic: 'no' }, /a\.b isPublic must be/],
  ])('SYS-1 refuse the start: %s', (_, definition, fault) => {
    expect(setupFault({ it: { ...basics, ...definition } })).toMatch(fault);
  });

  it('SYS-1 report every fault at once, with duplicate keys across tables and bad options', () => {
    const table = { definitions: { a: { ...basics, key: 'a.b', type: 'LONG', default: 0.5 } } } as const;
    const create = () =>
      createSystemParameters({
        tables: [table, table],
        source: {} as never,
        maxAgeMillis: 0,
        timeoutMillis: Number.NaN,
      });
    expect(create).toThrow(
      expect.objectContaining({
        code: 'SYSTEM_PARAMETERS_SETUP_INVALID',
        faults: [
          expect.stringMatching(/^a\.b default must be/),
          expect.stringMatching(/^a\.b default must be/),
          'a.b is defined twice',
          expect.stringMatching(/^source must be/),
          expect.stringMatching(/^maxAgeMillis must be/),
          expect.stringMatching(/^timeoutMillis must be/),
        ],
      }),
    );
    expect(() => createSystemParameters({ tables: [], source })).toThrow(/tables must be a list/);
  });

  it('ADP-1 a wrong key hides no other fault of its definition', () => {
    const message = setupFault({
      it: { key: 'a.B', type: 'INTEGER', default: 'x', isPublic: 'no', description: '', min: 1, max: 2 },
      other: { ...basics, type: 'BOOLEAN', default: 1 },
      another: { ...basics, type: 'BOOLEAN', default: 1 },
    });
    const path = 'tables[0].definitions.it.';
    expect(message.split('\n- ').slice(1)).toEqual([
      `${path}key must be lower-case words joined by . and -, at most 100 characters`,
      `${path}description must not be blank`,
      `${path}isPublic must be true or false`,
      `${path}min is not an option; did you mean minimum?`,
      `${path}max is not an option; did you mean maximum?`,
      `${path}default must be a number`,
      expect.stringMatching(/definitions\.other\.key must be/),
      'tables[0].definitions.other.default must be a boolean',
      expect.stringMatching(/definitions\.another\.key must be/),
      'tables[0].definitions.another.default must be a boolean',
    ]);
  });

  const shop = { isOpen: { ...basics, key: 'shop.open', type: 'BOOLEAN', default: true } };
  it.each<[string, unknown, string[]]>([
    ['definitions without a table', shop, ['tables[0] has no definitions: write { definitions: … }']],
    ['an empty table', {}, ['tables[0] has no definitions: write { definitions: … }']],
    [
      'a misspelt member',
      { definition: shop },
      [
        'tables[0].definition is not an option; did you mean tables[0].definitions?',
        'tables[0] has no definitions: write { definitions: … }',
      ],
    ],
    ['no object', 'shop', ['tables[0] must be { definitions, rules?, guard? }']],
    ['no definitions in it', { definitions: 'shop' }, ['tables[0].definitions must be an object of definitions']],
    [
      'a definition that is none, and a rule that is none',
      { definitions: { ...shop, isOpen: true }, rules: [] },
      ['tables[0].definitions.isOpen must be a definition, an object', 'tables[0].rules must be a function'],
    ],
  ])('ADP-1 refuse the start for a table that is %s', (_, table, faults) => {
    expect(() => createSystemParameters({ tables: [table as never], source })).toThrow(
      expect.objectContaining({ faults }),
    );
  });

  it('SYS-2 defaults and fallbacks that break a rule of their table refuse the start', () => {
    const definitions = { it: { ...basics, key: 'a.b', type: 'LONG', default: 1 } };
    expect(setupFault(definitions, () => ['never right'])).toMatch(
      /the default values of a\.b break a rule: never right/,
    );
  });

  it.each([
    'api.encryption.private-key',
    'sms.gateway.secret',
    'admin.auth.password',
    'storage.s3.access-key',
    'auth.token',
  ])('SYS-6 %s is refused as a parameter', (key) => {
    expect(setupFault({ it: { ...basics, key, type: 'STRING', default: '' } })).toMatch(/secrets are never parameters/);
  });

  it('SYS-6 a switch or a number about secrets is accepted as a parameter', () => {
    const definitions = {
      allowQueryToken: { ...basics, key: 'auth.token.allow-query-token', type: 'BOOLEAN', default: false },
      minLength: { ...basics, key: 'admin.auth.password.min-length', type: 'LONG', default: 6 },
    } as const;
    expect(() => createSystemParameters({ tables: [{ definitions }], source })).not.toThrow();
  });

  it('SYS-1 a table that was not given cannot be read', async () => {
    const parameters = createSystemParameters({ tables: [{ definitions: loginParameters }], source });
    await expect(parameters.read(passwordParameters)).rejects.toThrow(/min-length is in none of the tables/);
  });

  it('ADP-1 refuse the start for a misspelt member', () => {
    const misspelt = { it: { ...basics, key: 'a.b', type: 'BOOLEAN', default: true, falback: true } };
    expect(setupFault(misspelt)).toMatch(/a\.b falback is not an option; did you mean fallback\?/);
    const table = { definitions: loginParameters, guards: () => null };
    expect(() => createSystemParameters({ tables: [table], source })).toThrow(
      /tables\[0\]\.guards is not an option; did you mean tables\[0\]\.guard\?/,
    );
  });
});

describe('options', () => {
  const refusals: [name: string, create: () => unknown, faults: RegExp[]][] = [
    [
      'createSystemParameters',
      () => createSystemParameters({ tables, source, maxAge: 5 } as never),
      [/^maxAge is not an option; did you mean maxAgeMillis\?$/],
    ],
    [
      'createMemorySource',
      () => createMemorySource({ clock: Date.now } as never),
      [/^clock is not an option; .* now$/],
    ],
    [
      'createPostgresSource',
      () => createPostgresSource({ database: {} as never, tables: [] } as never),
      [/^tables is not an option; did you mean table\?$/, /^database must be/],
    ],
    [
      'createPostgresNotifier',
      () => createPostgresNotifier({ client: {} as never, channel: '' }),
      [/^client must be/, /^channel must be/],
    ],
    [
      'createRedisNotifier',
      () => createRedisNotifier({ client: {} as never, chanel: 'x' } as never),
      [/^chanel is not an option; did you mean channel\?$/, /^client must be/, /^channel is required/],
    ],
    [
      'createSystemParametersTable',
      () => createSystemParametersTable({} as never, 'system_parameters' as never),
      [/^database must be/, /^table must be/],
    ],
  ];

  it.each(refusals)('ADP-1 %s refuses bad options with all their faults', async (subject, create, faults) => {
    const error = await (async () => create())().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SystemParametersSetupError);
    expect(error).toMatchObject({ code: 'SYSTEM_PARAMETERS_SETUP_INVALID', subject });
    expect((error as SystemParametersSetupError).faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

it('ADP-1 a missing table is named in the log, with the function that makes it', async () => {
  const client = await openTestEmbedded();
  onTestFinished(() => client.close());
  const lines: string[] = [];
  const app = Fastify({ logger: { stream: { write: (line) => void lines.push(line) } } });
  const postgres = createPostgresSource({ database: drizzle(client) });
  const refusal = await (async () => app.register(systemParameters, { tables, source: postgres }))().catch((it) => it);
  app.log.error({ err: refusal });
  await app.close();
  expect(refusal).toMatchObject({ code: 'SYSTEM_PARAMETERS_UNAVAILABLE', cause: { code: '42P01' } });
  expect(lines.join()).toContain('relation \\"system_parameters\\" does not exist');
  expect(lines.join()).toContain('call createSystemParametersTable(database) of @sallyport/system-parameters/postgres');
});
