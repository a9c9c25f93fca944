import { describe, expect, it } from 'vitest';
import { LOGIN_POLICY_DEFAULTS, loginPolicyFaults, loginPolicyParameters } from '../src/index.js';

describe('loginPolicyParameters', () => {
  it('LGN-1 LGN-6 has the keys, types and defaults of the interface document, and two more', () => {
    const rows = Object.values(loginPolicyParameters).map(({ key, type, default: value }) => [key, type, value]);
    expect(rows).toEqual([
      ['admin.auth.login.failure-window-seconds', 'LONG', 600],
      ['admin.auth.login.failure-count', 'LONG', 5],
      ['admin.auth.login.lock-seconds', 'LONG', 600],
      ['admin.auth.login.failure.include-ip.enabled', 'BOOLEAN', true],
      ['admin.auth.login.ip-whitelist.enabled', 'BOOLEAN', false],
      ['admin.auth.login.ip-whitelist.values', 'STRING', ''],
      ['admin.auth.login.account-failure-count', 'LONG', 20],
      ['admin.auth.login.ip-failure-count', 'LONG', 100],
    ]);
  });

  it('LGN-1 derives the name of each property from the tail of its key', () => {
    for (const [name, { key }] of Object.entries(loginPolicyParameters)) {
      const tail = key.slice('admin.auth.login.'.length);
      expect(tail.replaceAll(/[.-]([a-z])/g, (_, letter: string) => letter.toUpperCase())).toBe(name);
    }
  });

  it('LGN-1 none is public, each has a description and a range, and the defaults are a valid policy', () => {
    for (const definition of Object.values(loginPolicyParameters)) {
      expect(definition.isPublic).toBe(false);
      expect(definition.description).not.toBe('');
      if (definition.type !== 'LONG') continue;
      expect(definition.default).toBeGreaterThanOrEqual(definition.minimum);
      expect(definition.default).toBeLessThanOrEqual(definition.maximum);
    }
    expect(loginPolicyFaults(LOGIN_POLICY_DEFAULTS)).toEqual([]);
    expect(LOGIN_POLICY_DEFAULTS).toEqual({
      failureWindowSeconds: 600,
      failureCount: 5,
      lockSeconds: 600,
      failureIncludeIpEnabled: true,
      ipWhitelistEnabled: false,
      ipWhitelistValues: '',
      accountFailureCount: 20,
      ipFailureCount: 100,
    });
  });

  it('LP-24 only a 0 for the account-wide and the address counter turns a lock off', () => {
    const offAt0 = Object.entries(loginPolicyParameters).flatMap(([name, definition]) =>
      definition.type === 'LONG' && definition.minimum === 0 ? name : [],
    );
    expect(offAt0).toEqual(['accountFailureCount', 'ipFailureCount']);
  });
});
