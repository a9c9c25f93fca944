import { loginPolicyParameters } from '@sallyport/login-policy';
import { passwordRuleParameters } from '@sallyport/login-policy/password-rules';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type App, catalog } from '../../../src/app.js';
import { roomy } from '../../support/accounts.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

describe('system parameters of the server', () => {
  let bench: TestBench;
  let app: App;
  let headers: { authorization: string };
  beforeAll(async () => {
    // Sessions live by the clock of their store: here by that of the test.
    bench = await openTestBench('embedded');
    app = await bench.app(roomy);
    headers = await bearer(app);
  });
  afterAll(() => bench.close());

  const read = (key: string) => app.inject({ url: `/admin/system-parameters/${key}`, headers });
  async function change(key: string, value: unknown, more: object = {}): Promise<LightMyRequestResponse> {
    const { version } = (await read(key)).json().data;
    const payload = { value, version, ...more };
    return app.inject({ method: 'PUT', url: `/admin/system-parameters/${key}`, headers, payload });
  }
  const publicValues = async () => (await app.inject('/public/system-parameters')).json().data;

  it('SYS-1 LGN-1 PWD-1 ADM-1 USR-3 TOK-5 APP-5 UPL-1 every parameter of the documents is listed with its type, default, version and flag', async () => {
    const { data, page } = (await app.inject({ url: '/admin/system-parameters?size=200', headers })).json();
    const shown = data.map((each: Record<string, unknown>) => [each.key, each.type, each.defaultValue, each.isPublic]);
    expect(shown).toEqual(
      [
        ['admin.auth.captcha.enabled', 'BOOLEAN', false, true],
        ['admin.auth.inactive-days', 'LONG', 0, false],
        ['admin.auth.login.account-failure-count', 'LONG', 20, false],
        ['admin.auth.login.failure-count', 'LONG', 5, false],
        ['admin.auth.login.failure-window-seconds', 'LONG', 600, false],
        ['admin.auth.login.failure.include-ip.enabled', 'BOOLEAN', true, false],
        ['admin.auth.login.ip-failure-count', 'LONG', 100, false],
        ['admin.auth.login.ip-whitelist.enabled', 'BOOLEAN', false, false],
        ['admin.auth.login.ip-whitelist.values', 'STRING', '', false],
        ['admin.auth.login.lock-seconds', 'LONG', 600, false],
        ['admin.auth.password.force-first-change', 'BOOLEAN', false, false],
        ['admin.auth.password.history-count', 'LONG', 0, false],
        ['admin.auth.password.max-age-days', 'LONG', 0, false],
        ['admin.auth.password.max-length', 'INTEGER', 32, true],
        ['admin.auth.password.min-length', 'INTEGER', 6, true],
        ['admin.auth.password.refuse-common', 'BOOLEAN', true, false],
        ['admin.auth.password.refused-words', 'STRING', '', false],
        ['admin.auth.password.require-digit', 'BOOLEAN', false, true],
        ['admin.auth.password.require-lowercase', 'BOOLEAN', false, true],
        ['admin.auth.password.require-sm3', 'BOOLEAN', false, false],
        ['admin.auth.password.require-special', 'BOOLEAN', false, true],
        ['admin.auth.password.require-uppercase', 'BOOLEAN', false, true],
        ['admin.auth.registration.enabled', 'BOOLEAN', false, false],
        ['admin.auth.second-factor.grace-days', 'LONG', 7, false],
        ['admin.auth.second-factor.mode', 'STRING', 'OFF', false],
        ['admin.auth.second-factor.step-up-for-sessions', 'BOOLEAN', false, false],
        ['admin.auth.second-factor.step-up-minutes', 'LONG', 10, false],
        ['admin.storage.upload.allowed-extensions', 'STRING', expect.stringMatching(/^([a-z0-9]+,)+[a-z0-9]+$/), false],
        [
          'admin.storage.upload.allowed-mime-types',
          'STRING',
          expect.stringMatching(/^([a-z]+\/[a-z0-9.+-]+(,|$))+$/),
          false,
        ],
        ['admin.storage.upload.max-size-mb', 'LONG', 10, false],
        ['admin.storage.upload.public-preview.allowed-extensions', 'STRING', 'jpg,jpeg,png,webp', false],
        ['admin.storage.upload.public-preview.enabled', 'BOOLEAN', true, false],
        ['admin.storage.upload.validation.enabled', 'BOOLEAN', true, false],
        ['app.auth.inactive-days', 'LONG', 0, false],
        ['app.auth.password.history-count', 'LONG', 0, false],
        ['app.auth.password.max-age-days', 'LONG', 0, false],
        ['app.auth.second-factor.grace-days', 'LONG', 7, false],
        ['app.auth.second-factor.mode', 'STRING', 'OFF', false],
        ['app.auth.second-factor.step-up-for-sessions', 'BOOLEAN', false, false],
        ['app.auth.second-factor.step-up-minutes', 'LONG', 10, false],
        ['app.auth.sms.captcha-after', 'LONG', 20, false],
        ['app.auth.sms.code-length', 'INTEGER', 6, false],
        ['app.auth.sms.ip-hourly-limit', 'LONG', 200, false],
        ['app.auth.sms.ip-wrong-daily-limit', 'LONG', 50, false],
        ['app.auth.sms.long-code-length', 'INTEGER', 12, false],
        ['app.auth.sms.low-use-percent', 'LONG', 30, false],
        ['app.auth.sms.max-attempts', 'INTEGER', 5, false],
        ['app.auth.sms.mobile-captcha-after', 'LONG', 3, false],
        ['app.auth.sms.mobile-daily-limit', 'LONG', 10, false],
        ['app.auth.sms.overall-hourly-limit', 'LONG', 5000, false],
        ['app.auth.sms.overall-wrong-daily-limit', 'LONG', 5000, false],
        ['app.auth.sms.region-hourly-limit', 'LONG', 3000, false],
        ['app.auth.sms.require-handle', 'BOOLEAN', false, false],
        ['app.auth.sms.resend-seconds', 'LONG', 60, false],
        ['app.auth.sms.slow-resend-seconds', 'LONG', 1800, false],
        ['app.auth.sms.valid-seconds', 'LONG', 300, false],
        ['app.auth.sms.wrong-captcha-after', 'LONG', 50, false],
        ['app.auth.sms.wrong-daily-limit', 'LONG', 100, false],
        ...['app-login', 'login', 'recover', 'register', 'sms'].map((purpose) => {
          return [`auth.captcha.kinds.${purpose}`, 'STRING', 'image,proof-of-work', false];
        }),
        ['auth.captcha.proof-of-work.cost', 'LONG', 90, false],
        ['auth.captcha.proof-of-work.memory-mebibytes', 'INTEGER', 4, false],
        ['auth.token.admin.absolute-seconds', 'LONG', 43_200, false],
        ['auth.token.admin.idle-seconds', 'LONG', 1800, false],
        ['auth.token.app.absolute-seconds', 'LONG', 2_592_000, false],
        ['auth.token.app.idle-seconds', 'LONG', 604_800, false],
      ].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
    expect(page).toEqual({ number: 1, size: 200, total: shown.length });
  });

  it('API-4 every parameter has a group, texts in English and Chinese, its bounds, and numbers have a unit', async () => {
    const { data } = (await app.inject({ url: '/admin/system-parameters?size=200', headers })).json();
    const groups = new Map<string, string>();
    for (const parameter of data) {
      const { key, type, group, unit, texts, description } = parameter;
      expect(texts, key).toEqual({ en: description, 'zh-CN': expect.stringMatching(/\p{Script=Han}/u) });
      expect(texts.en, key).toMatch(/^[A-Z][^\p{Script=Han}]+$/u);
      // A form may show one line alone: it can't refer to the one before, and it has the unit beside it.
      expect(texts.en, key).not.toMatch(/^(?:The same|Those|These|This|It|They)\b|, (?:seconds|percent|MiB)\b/);
      expect(texts['zh-CN'], key).not.toMatch(/^(?:其中|同上|此|该)/);
      expect(group, key).toMatchObject({ name: expect.any(String), texts: { en: expect.stringMatching(/^[A-Z]/) } });
      expect(group.texts['zh-CN'], key).toMatch(/\p{Script=Han}/u);
      expect(groups.get(group.name) ?? JSON.stringify(group), key).toBe(JSON.stringify(group));
      groups.set(group.name, JSON.stringify(group));
      const isNumber = type === 'INTEGER' || type === 'LONG';
      expect([Number.isInteger(parameter.minimum), Number.isInteger(parameter.maximum), unit !== null], key).toEqual([
        ...[isNumber, isNumber, isNumber],
      ]);
      if (isNumber) expect(unit.texts, key).toMatchObject({ en: expect.any(String), 'zh-CN': expect.any(String) });
      expect(Number.isInteger(parameter.maxLength), key).toBe(type === 'STRING');
    }
    expect(groups.size).toBe(8);
  });

  it('LP-53 PWD-1 SYS-4 without a token the password rules and the captcha flag can be read, and nothing else', async () => {
    const published = Object.keys(await publicValues()).sort();
    const rules = Object.values(passwordRuleParameters).map(({ key }) => key);
    expect(published).toEqual([...rules, 'admin.auth.captcha.enabled'].sort());
    for (const url of ['', '/admin.auth.login.failure-count', '/admin.auth.password.min-length']) {
      expect((await app.inject(`/admin/system-parameters${url}`)).statusCode).toBe(401);
    }
    expect((await app.inject('/public/system-parameters/admin.auth.login.failure-count')).statusCode).toBe(401);
  });

  it('HTTP-2 SYS-2 the reason of a refused change is available in Chinese, for every parameter and rule', async () => {
    const inChinese = async (key: string, value: unknown, invalid?: string) => {
      const version = invalid ?? (await read(key)).json().data.version;
      const answer = await app.inject({
        method: 'PUT',
        url: `/admin/system-parameters/${key}`,
        headers: { ...headers, 'accept-language': 'zh-CN' },
        payload: { value, version },
      });
      return answer.json().errors.map(({ detail }: { detail: string }) => detail) as string[];
    };
    const definitions = catalog.parameters.flatMap((table) => Object.values(table.definitions) as { key: string }[]);
    const values = [null, -(2 ** 53), 'x'.repeat(20_000), '\ud800', 'postgres://user:password@host/db'];
    for (const { key } of definitions) {
      for (const value of values) {
        const details = await inChinese(key, value, 'x');
        expect(details).toHaveLength(2);
        for (const detail of details) expect(detail).toMatch(/\p{Script=Han}/u);
      }
    }
    const whitelist = 'admin.auth.login.ip-whitelist.values';
    expect(await inChinese(whitelist, '192.0.2.1, x, 192.0.2.0/99, ::ffff:192.0.2.1/90')).toEqual([
      '须为以逗号分隔的 IP 地址或 CIDR 网段列表，例如 "192.0.2.7, 2001:db8::/32"；第 2 项既不是 IP 地址也不是 CIDR 网段；' +
        '第 3 项的前缀长度不在 0 至 32 之间；第 4 项为 IPv4 映射地址，前缀长度不得小于 96',
    ]);
    expect(await inChinese('admin.auth.password.min-length', 33)).toEqual([
      'min-length 不得大于 max-length，否则无法设置密码',
    ]);
    expect(await inChinese('auth.token.admin.idle-seconds', 43_201)).toEqual([
      'idle-seconds 不得大于 absolute-seconds',
    ]);
    await change('app.auth.sms.code-length', 10);
    expect(await inChinese('app.auth.sms.long-code-length', 10)).toEqual(['long-code-length 须大于 code-length']);
    await change('app.auth.sms.code-length', 6);
    expect(await inChinese('admin.auth.login.ip-whitelist.enabled', true)).toEqual([
      '修改后您将无法从当前 IP 地址登录',
    ]);
    expect(await inChinese('admin.auth.password.min-length', 0)).toEqual([
      expect.stringMatching(/^须为 \d+ 至 \d+ 之间的整数$/),
    ]);
  });

  it('SYS-5 TOK-8 reading and changing each need their permission', async () => {
    const key = 'admin.auth.password.min-length';
    const url = `/admin/system-parameters/${key}`;
    const attempts = async (grants: string[]) => {
      const token = await tokenWith(grants);
      const payload = { value: 6, version: -1 };
      const answers = await Promise.all([
        app.inject({ url: '/admin/system-parameters', headers: token }),
        app.inject({ url, headers: token }),
        app.inject({ method: 'PUT', url, headers: token, payload }),
      ]);
      return answers.map(({ statusCode }) => statusCode);
    };
    expect(await attempts([])).toEqual([403, 403, 403]);
    expect(await attempts(['api:admin:system-parameters:read'])).toEqual([200, 200, 403]);
    expect(await attempts(['api:admin:system-parameters:write'])).toEqual([403, 403, 400]);
  });

  /** The headers of an administrator with these grants. */
  async function tokenWith(grants: readonly string[]): Promise<{ authorization: string }> {
    const username = await grantedAdministrator(bench.database, grants);
    const { token } = (await signIn(app, { ...credentials, username })).json().data;
    return { authorization: `Bearer ${token}` };
  }

  it('SYS-2 a change names its author, and a change of an old version is refused with 409', async () => {
    const key = 'admin.auth.password.max-length';
    const before = (await read(key)).json().data;
    const changed = await change(key, 40);
    expect(changed.json().data).toMatchObject({ key, value: 40, version: before.version + 1 });
    expect(changed.json().data.updatedBy).toMatch(/^[0-9a-f-]{36}$/);
    expect((await publicValues())[key]).toBe(40);
    const stale = { method: 'PUT', url: `/admin/system-parameters/${key}`, headers } as const;
    const refused = await app.inject({ ...stale, payload: { value: 50, version: before.version } });
    expect(refused.json()).toMatchObject({ status: 409, code: 'PARAMETER_VERSION_CONFLICT' });
    await change(key, 32);
  });

  it('SYS-2 LP-24 a value of another type, out of range or against a rule of its table is refused with 400', async () => {
    const failureCount = loginPolicyParameters.failureCount.key;
    for (const value of [-1, 0, 1e12, 'abc', '', null, '5 ', 1.5, true, {}]) {
      expect((await change(failureCount, value)).json()).toMatchObject({ status: 400, code: 'PARAMETER_INVALID' });
    }
    expect((await read(failureCount)).json().data.value).toBe(5);
    expect((await change('admin.auth.password.min-length', 33)).json().code).toBe('PARAMETER_INVALID');
    expect((await change('auth.token.admin.idle-seconds', 43_201)).json().code).toBe('PARAMETER_INVALID');
    expect((await change('admin.auth.login.ip-whitelist.values', '10.0.0.0/33')).json()).toMatchObject({
      code: 'PARAMETER_INVALID',
      errors: [{ pointer: '/value' }],
    });
  });

  it('SYS-1 an unknown key is 404, and texts are available in Chinese', async () => {
    const answer = await app.inject({
      url: '/admin/system-parameters/admin.auth.secret',
      headers: { ...headers, 'accept-language': 'zh-CN' },
    });
    expect(answer.json()).toMatchObject({ status: 404, code: 'PARAMETER_UNKNOWN', detail: '系统参数不存在。' });
  });

  it('SYS-6 no parameter is named like a secret', () => {
    const keys = catalog.parameters.flatMap(({ definitions }) => Object.values(definitions).map(({ key }) => key));
    expect(keys.filter((key) => /secret|private-key|credential|token\.key/.test(key))).toEqual([]);
  });

  it('TOK-5 a shorter lifetime, idle or absolute, applies to existing sessions at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const own = await bearer(app);
      const profileAfter = async (seconds: number) => {
        vi.setSystemTime(Date.now() + seconds * 1000);
        return (await app.inject({ url: '/admin/profile', headers: own })).json();
      };
      await change('auth.token.admin.absolute-seconds', 7200);
      for (const _hour of [1, 2, 3]) expect(await profileAfter(1700)).toHaveProperty('data');
      headers = await bearer(app);
      await change('auth.token.admin.absolute-seconds', 5000);
      expect(await profileAfter(0)).toMatchObject({ status: 401, code: 'SESSION_EXPIRED' });

      const other = await bearer(app);
      headers = await bearer(app);
      await change('auth.token.admin.idle-seconds', 60);
      vi.setSystemTime(Date.now() + 61_000);
      const refused = await app.inject({ url: '/admin/profile', headers: other });
      expect(refused.json()).toMatchObject({ status: 401, code: 'SESSION_EXPIRED' });
      headers = await bearer(app);
      await change('auth.token.admin.absolute-seconds', 43_200);
      await change('auth.token.admin.idle-seconds', 1800);
    } finally {
      vi.useRealTimers();
      headers = await bearer(app);
    }
  });

  it('LGN-8 a whitelist that would exclude the caller must be confirmed; other changes need no confirmation', async () => {
    const [enabled, values] = ['admin.auth.login.ip-whitelist.enabled', 'admin.auth.login.ip-whitelist.values'];
    expect((await change(values, '198.51.100.0/24')).statusCode).toBe(200);
    const refused = await change(enabled, true);
    expect(refused.json()).toMatchObject({
      status: 409,
      code: 'PARAMETER_CONFIRMATION_NEEDED',
      clientAction: 'confirm',
      errors: [{ pointer: '/confirm' }],
    });
    expect((await read(enabled)).json().data.value).toBe(false);
    expect((await change(values, '127.0.0.1, 2001:db8::/32')).statusCode).toBe(200);
    expect((await change(enabled, true)).statusCode).toBe(200);
    expect((await change(values, '', { confirm: true })).statusCode).toBe(200);
    expect((await change('admin.auth.login.lock-seconds', 601)).statusCode).toBe(200);
    expect((await change('admin.auth.login.lock-seconds', 600)).statusCode).toBe(200);
    expect((await change(enabled, false)).statusCode).toBe(200);
  });
});
