import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  createMemorySource,
  createSystemParameters,
  defineParameterTable,
  type ParameterDefinitions,
  SystemParametersSetupError,
} from '../src/index.js';
import { createPostgresNotifier, createPostgresSource } from '../src/postgres/index.js';
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

  it('SYS-2 type what rules and guard are given', () => {
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
    ['a key with capitals', { key: 'a.B', type: 'BOOLEAN', default: true }, /"a\.B" is no key/],
    ['a key too long for the router', { key: 'a'.repeat(101), type: 'BOOLEAN', default: true }, /is no key/],
    ['no description', { key: 'a.b', type: 'BOOLEAN', default: true, description: ' ' }, /a\.b needs a description/],
    ['no public flag', { key: 'a.b', type: 'BOOLEAN', default: true, isPublic: 'no' }, /a\.b isPublic must be/],
  ])('SYS-1 refuse the start: %s', (_, definition, fault) => {
    expect(setupFault({ it: { ...basics, ...definition } })).toMatch(fault);
  });

  it('SYS-1 name every fault at once, duplicate keys across tables too, options too', () => {
    const table = { definitions: { a: { ...basics, key: 'a.b', type: 'LONG', default: 0.5 } } } as const;
    const create = () =>
      createSystemParameters({
        tables: [table, table],
        source: {} as never,
        maxAgeMillis: 0,
        timeoutMillis: Number.NaN,
      });
    expect(create).toThrow(
      /source must be.*maxAgeMillis must be.*timeoutMillis must be.*a\.b default.*a\.b is defined twice/,
    );
    expect(() => createSystemParameters({ tables: [], source })).toThrow(/tables must be a list/);
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
  ])('SYS-6 %s is no parameter', (key) => {
    expect(setupFault({ it: { ...basics, key, type: 'STRING', default: '' } })).toMatch(/secrets are never parameters/);
  });

  it('SYS-6 a switch or a number about secrets is a parameter', () => {
    const definitions = {
      allowQueryToken: { ...basics, key: 'auth.token.allow-query-token', type: 'BOOLEAN', default: false },
      minLength: { ...basics, key: 'admin.auth.password.min-length', type: 'LONG', default: 6 },
    } as const;
    expect(() => createSystemParameters({ tables: [{ definitions }], source })).not.toThrow();
  });

  it('a table that was not given cannot be read', async () => {
    const parameters = createSystemParameters({ tables: [{ definitions: loginParameters }], source });
    await expect(parameters.read(passwordParameters)).rejects.toThrow(/min-length is in none of the tables/);
  });

  it('sources and notifiers name their bad options', () => {
    expect(() => createPostgresSource({ database: {} as never })).toThrow(/database must be/);
    expect(() => createPostgresNotifier({ client: {} as never, channel: '' })).toThrow(
      /client must be.*channel must be/,
    );
    expect(() => createRedisNotifier({ client: {} as never, channel: '' })).toThrow(/client must be.*channel must be/);
  });
});
