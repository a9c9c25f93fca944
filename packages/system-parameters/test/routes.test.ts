import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import systemParameters, {
  type AdminParameterRoutesOptions,
  adminParameterRoutes,
  createMemorySource,
  defineParameterTable,
  type ParameterChange,
  publicParametersRoute,
  SYSTEM_PARAMETER_PERMISSIONS,
  type SystemParametersPluginOptions,
} from '../src/index.js';
import { createFaultySource } from './faulty-source.js';
import {
  FAILURE_COUNT,
  loginParameters,
  MIN_LENGTH,
  passwordParameters,
  passwordRules,
  tables,
  WHITELIST_ENABLED,
} from './login-parameters.js';

let app: FastifyInstance | undefined;

afterEach(async () => {
  await app?.close();
});

async function build(
  options: Partial<SystemParametersPluginOptions> = {},
  routes: AdminParameterRoutesOptions = { changedBy: (request) => String(request.headers['x-user'] ?? '') },
  bodies: 'coerced' | 'strict' = 'coerced',
): Promise<FastifyInstance> {
  // HTTP-4: a server that refuses unexpected properties instead of dropping them.
  const customOptions = bodies === 'strict' ? { removeAdditional: false, coerceTypes: 'array' as const } : {};
  app = Fastify({ ajv: { customOptions } });
  await app.register(systemParameters, { tables, source: createMemorySource(), ...options });
  await app.register(adminParameterRoutes, routes);
  await app.register(publicParametersRoute);
  return app;
}

const url = `/admin/system-parameters/${FAILURE_COUNT}`;
const put = (to: FastifyInstance, payload: object, target = url) =>
  to.inject({ method: 'PUT', url: target, payload, headers: { 'x-user': 'alice' } });

describe('the routes', () => {
  it('SYS-5 list the parameters by key, in pages', async () => {
    const server = await build();
    const all = (await server.inject('/admin/system-parameters')).json();
    expect(all.page).toEqual({ number: 1, size: 20, total: 7 });
    expect(all.data.map(({ key }: { key: string }) => key)).toEqual(
      all.data.map(({ key }: { key: string }) => key).sort(),
    );
    expect(all.data[0]).toEqual({
      key: FAILURE_COUNT,
      type: 'LONG',
      value: 5,
      defaultValue: 5,
      minimum: 1,
      maximum: 1000,
      isPublic: false,
      maxLength: null,
      values: null,
      unit: null,
      group: null,
      description: 'Failures within the window before the lock',
      texts: { en: 'Failures within the window before the lock' },
      version: 0,
      updatedBy: null,
      updatedAt: null,
      fault: null,
    });
    const second = (await server.inject('/admin/system-parameters?page=2&size=3')).json();
    expect(second).toEqual({ data: all.data.slice(3, 6), page: { number: 2, size: 3, total: 7 } });
    expect((await server.inject('/admin/system-parameters?page=9')).json().data).toEqual([]);
    for (const query of ['size=201', 'size=0', 'page=0', 'page=x']) {
      expect((await server.inject(`/admin/system-parameters?${query}`)).statusCode).toBe(400);
    }
  });

  it('SYS-5 read one parameter, or 404', async () => {
    const server = await build();
    expect((await server.inject(url)).json().data).toMatchObject({ key: FAILURE_COUNT, value: 5, version: 0 });
    const missing = await server.inject('/admin/system-parameters/no.such.key');
    expect(missing.statusCode).toBe(404);
    expect(missing.json()).toMatchObject({ code: 'PARAMETER_UNKNOWN' });
    expect((await put(server, { value: 1, version: 0 }, '/admin/system-parameters/no.such.key')).statusCode).toBe(404);
  });

  it('SYS-5 SYS-2 change a parameter, and pass the request and the old value to the audit hook', async () => {
    const changes: ParameterChange<FastifyRequest>[] = [];
    const server = await build({ onChange: (change) => void changes.push(change) });
    const changed = await put(server, { value: 3, version: 0 });
    expect(changed.statusCode).toBe(200);
    expect(changed.json().data).toMatchObject({ value: 3, version: 1, updatedBy: 'alice' });
    // Milliseconds, as all times.
    expect(changed.json().data.updatedAt).toBeGreaterThan(Date.UTC(2026, 0, 1));
    expect((await server.systemParameters.read(loginParameters)).failureCount).toBe(3);
    expect(changes).toMatchObject([{ key: FAILURE_COUNT, oldValue: 5, newValue: 3, version: 1, changedBy: 'alice' }]);
    expect(changes[0]?.request?.routeOptions.url).toBe('/admin/system-parameters/:key');
  });

  it('SYS-2 answers 400, 409 and 503 with their codes', async () => {
    const source = createFaultySource(createMemorySource());
    const server = await build({ source });
    await put(server, { value: 3, version: 0 });
    expect((await put(server, { value: 0, version: 1 })).json()).toEqual({
      statusCode: 400,
      code: 'PARAMETER_INVALID',
      error: 'Bad Request',
      message: 'The change is not valid: value must be a whole number from 1 to 1000',
    });
    expect((await put(server, { value: 4, version: 0 })).json()).toMatchObject({
      statusCode: 409,
      code: 'PARAMETER_VERSION_CONFLICT',
    });
    source.state.mode = 'away';
    expect((await put(server, { value: 4, version: 1 })).json()).toMatchObject({
      statusCode: 503,
      code: 'SYSTEM_PARAMETERS_UNAVAILABLE',
    });
    expect((await server.inject(url)).json().data).toMatchObject({ value: 3 });
  });

  it.each(['coerced', 'strict'] as const)(
    'SV-12 LP-24 no validator coerces a wrong value into a right one (bodies %s)',
    async (bodies) => {
      const server = await build({}, undefined, bodies);
      for (const value of [-1, 0, 1e12, 'abc', '', null, '5 ', '１０', '1e3', true, [5], {}, 4.5]) {
        expect((await put(server, { value, version: 0 })).statusCode).toBe(400);
      }
      for (const version of [null, '0', false, [0], 0.5, -1]) {
        expect((await put(server, { value: 3, version })).statusCode).toBe(400);
      }
      for (const confirm of [null, 'true', 1]) {
        expect((await put(server, { value: 3, version: 0, confirm })).statusCode).toBe(400);
      }
      const enabled = `/admin/system-parameters/${WHITELIST_ENABLED}`;
      for (const value of ['TRUE', '1', 1, 'yes', null])
        expect((await put(server, { value, version: 0 }, enabled)).statusCode).toBe(400);
      expect((await put(server, { value: 3 })).statusCode).toBe(400);
      expect((await put(server, { version: 0 })).statusCode).toBe(400);
      expect((await server.inject(url)).json().data).toMatchObject({ value: 5, version: 0 });
    },
  );

  it('HTTP-4 an unexpected property of the body is refused if the server is set up to refuse them', async () => {
    const server = await build({}, undefined, 'strict');
    expect((await put(server, { value: 3, version: 0, force: true })).statusCode).toBe(400);
  });

  it('LGN-8 a change that its guard wants confirmed needs confirm: true', async () => {
    const guarded = defineParameterTable<typeof loginParameters, FastifyRequest>({
      definitions: loginParameters,
      guard: ({ values }, { request }) =>
        values.ipWhitelistEnabled && !values.ipWhitelistValues.includes(request?.ip ?? '')
          ? 'It would exclude you'
          : null,
    });
    const server = await build({ tables: [guarded] });
    const enabled = `/admin/system-parameters/${WHITELIST_ENABLED}`;
    expect((await put(server, { value: true, version: 0 }, enabled)).json()).toMatchObject({
      statusCode: 409,
      code: 'PARAMETER_CONFIRMATION_NEEDED',
      message: 'The change needs to be confirmed: It would exclude you',
    });
    expect((await put(server, { value: true, version: 0, confirm: true }, enabled)).json().data).toMatchObject({
      value: true,
    });
  });

  it('SYS-4 LP-53 anybody may read the public values and no others', async () => {
    const server = await build();
    const answer = await server.inject('/public/system-parameters');
    expect(answer.json()).toEqual({
      data: {
        'admin.auth.password.min-length': 6,
        'admin.auth.password.max-length': 32,
        'admin.auth.password.require-digit': false,
      },
    });
    expect((await server.inject(`/public/system-parameters/${MIN_LENGTH}`)).statusCode).toBe(404);
    expect((await server.inject(`/public/system-parameters?key=${FAILURE_COUNT}`)).body).not.toContain('login');
  });

  it('SYS-4 SYS-5 tell auth-tokens by their config who may call them', async () => {
    const configs: Record<string, unknown> = {};
    app = Fastify();
    app.addHook('onRoute', ({ method, url: path, config }) => {
      configs[`${method} ${path}`] = config;
    });
    app.decorateRequest('principal', null);
    await app.register(systemParameters, { tables, source: createMemorySource() });
    await app.register(adminParameterRoutes);
    await app.register(publicParametersRoute, { path: '/p', routeConfig: {} });
    expect(configs).toMatchObject({
      'GET /admin/system-parameters': { access: 'admin', permission: SYSTEM_PARAMETER_PERMISSIONS.list },
      'GET /admin/system-parameters/:key': { access: 'admin', permission: SYSTEM_PARAMETER_PERMISSIONS.read },
      'PUT /admin/system-parameters/:key': { access: 'admin', permission: SYSTEM_PARAMETER_PERMISSIONS.change },
    });
    expect(configs['GET /p']).not.toHaveProperty('access');
  });

  it('SYS-5 a change is recorded with the subject of the principal', async () => {
    app = Fastify();
    app.decorateRequest('principal', null);
    app.addHook('onRequest', async (request) => {
      Object.assign(request, { principal: { subject: 'admin-7' } });
    });
    await app.register(systemParameters, { tables, source: createMemorySource() });
    await app.register(adminParameterRoutes);
    expect((await put(app, { value: 3, version: 0 })).json().data.updatedBy).toBe('admin-7');
  });

  it('SYS-5 unguarded admin routes refuse the start; a change without a name is refused', async () => {
    await expect(build({}, {})).rejects.toThrow(
      /adminParameterRoutes: changedBy is required .* register @sallyport\/auth-tokens before these routes/,
    );
    const server = await build();
    expect((await server.inject({ method: 'PUT', url, payload: { value: 3, version: 0 } })).statusCode).toBe(500);
    expect((await server.inject(url)).json().data).toMatchObject({ value: 5, version: 0 });
  });
});

describe('the plugin', () => {
  it('SYS-3 does not start without values', async () => {
    const source = createFaultySource(createMemorySource());
    source.state.mode = 'away';
    const server = Fastify();
    await expect(async () => server.register(systemParameters, { tables, source })).rejects.toMatchObject({
      code: 'SYSTEM_PARAMETERS_UNAVAILABLE',
    });
  });

  it('SYS-1 refuses bad definitions with all their faults', async () => {
    const bad = {
      definitions: { a: { ...loginParameters.failureCount, default: 0 }, b: loginParameters.failureCount },
    };
    const server = Fastify();
    await expect(async () =>
      server.register(systemParameters, { tables: [bad], source: createMemorySource() }),
    ).rejects.toThrow(/failure-count default must be.*\n.*failure-count is defined twice/);
  });

  it('ADP-1 refuses a misspelt option, and takes those of register', async () => {
    const misspelt = { tables, source: createMemorySource(), maxAge: 1000 } as never;
    await expect(async () => Fastify().register(systemParameters, misspelt)).rejects.toThrow(
      'system-parameters: maxAge is not an option; did you mean maxAgeMillis?',
    );
    await expect(build({}, { changedBy: () => 'a', routeConfig: { lists: {} }, paths: '/x' } as never)).rejects.toThrow(
      /paths is not an option; did you mean path\?\n- routeConfig\.lists is not an option; did you mean routeConfig/,
    );
    app = Fastify();
    await app.register(systemParameters, { tables, source: createMemorySource(), prefix: '/v1', logLevel: 'warn' });
    await expect(async () => app?.register(publicParametersRoute, { url: '/p' } as never)).rejects.toThrow(
      /publicParametersRoute: url is not an option/,
    );
  });

  it('LP-24 SYS-3 logs warnings for operators, without values', async () => {
    const lines: string[] = [];
    const source = createFaultySource(createMemorySource());
    await source.declare([{ key: MIN_LENGTH, type: 'INTEGER', defaultValue: '6', isPublic: true, description: 'x' }]);
    await source.write({
      key: MIN_LENGTH,
      value: 'corrupt-value',
      updatedBy: 'a',
      versions: new Map([[MIN_LENGTH, 0]]),
      beforeCommit: null,
    });
    let millis = 0;
    app = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
    const table = { definitions: passwordParameters, rules: passwordRules };
    await app.register(systemParameters, { tables: [table], source, now: () => millis });
    expect(await app.systemParameters.read(passwordParameters)).toMatchObject({ minLength: 6 });
    source.state.mode = 'away';
    millis += 2000;
    await app.systemParameters.read(passwordParameters);
    source.state.mode = 'there';
    millis += 2000;
    await app.systemParameters.read(passwordParameters);
    const messages = lines.map((line) => JSON.parse(line).msg);
    expect(messages).toEqual([
      'the stored value of a system parameter is refused; its fallback is in force',
      'system parameters cannot be read; the last good values stay in force',
      'system parameters can be read again',
    ]);
    expect(lines[0]).toContain(MIN_LENGTH);
    expect(lines.join('')).not.toContain('corrupt-value');
  });

  it('SYS-3 plugins registered after it can read values, and a policy can be a function of them', async () => {
    app = Fastify();
    await app.register(systemParameters, { tables, source: createMemorySource() });
    const policy = () => app!.systemParameters.read(loginParameters);
    expect((await policy()).failureCount).toBe(5);
    await app.systemParameters.change({ key: FAILURE_COUNT, value: 2, version: 0, changedBy: 'a' });
    expect((await policy()).failureCount).toBe(2);
  });
});
