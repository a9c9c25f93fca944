import { randomBytes, randomUUID } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { InjectOptions, RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, catalog, createApp } from '../../../src/app.js';
import { allRefusals } from '../../../src/http/refusal.js';
import { apiDocs } from '../../../src/modules/api-docs/api-docs.js';
import { type ApiDocument, documentedApi } from '../../support/documented-api.js';
import { grantedAdministrator } from '../../support/granted-administrator.js';
import { bearer, credentials, openTestBench, signIn, type TestBench } from '../../support/test-app.js';

const ENCRYPTION = {
  SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
  SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
};

/** Refused before there is a route. */
const BEFORE_ROUTES = ['REQUEST_MALFORMED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE', 'URL_MALFORMED', 'REQUEST_REFUSED'];

/** Refusals of packages in whose place the server has its own. */
const REPLACED = ['CAPTCHA_REQUEST_REFUSED', 'CODE_RECIPIENT_REFUSED', 'CODE_SEND_LIMITED'];

describe('the documentation of the interface', () => {
  let bench: TestBench;
  let app: App;
  let document: ApiDocument;
  let api: ReturnType<typeof documentedApi>;
  let headers: { authorization: string };
  const routes: { method: string; route: RouteOptions }[] = [];

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config({ SERVICE_API_DOCS_ENABLED: 'true', ...ENCRYPTION });
    app = createApp(config);
    app.addHook('onRoute', (route) => {
      // The console is no part of the interface.
      if (route.schema?.hide === true) return;
      for (const method of [route.method].flat()) if (method !== 'HEAD') routes.push({ method, route });
    });
    await bench.compose(app, config);
    document = (await app.inject('/api-docs/json')).json();
    api = documentedApi(document);
    headers = await bearer(app);
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  it('OPS-2 the document is valid OpenAPI 3.1, as JSON and as YAML', async () => {
    expect(document.openapi).toBe('3.1.0');
    const asYaml = await app.inject('/api-docs/yaml');
    const validator = new Validator();
    for (const form of [structuredClone<object>(document) as Record<string, unknown>, asYaml.body]) {
      expect(await validator.validate(form)).toEqual({ valid: true });
    }
    const ids = api.operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('OPS-2 it has every route, and no other', () => {
    const there = routes
      .filter(({ method, route }) => method !== 'OPTIONS' && !route.url.startsWith('/api-docs'))
      .map(({ method, route }) => `${method} ${route.url}`)
      .sort();
    const documented = api.operations.map(({ method, url }) => `${method} ${url}`);
    expect(documented.sort()).toEqual(there);
    expect(Object.keys(catalog.operations).sort()).toEqual(there);
  });

  it('OPS-2 describes for each route its access, its input, and every refusal that follows from its config', () => {
    const names = document.tags.map(({ name }) => name);
    for (const { method, route } of routes) {
      if (method === 'OPTIONS' || route.url.startsWith('/api-docs')) continue;
      const operation = api.operationOf(method, route.url)!;
      const parameters = api.parametersOf(operation);
      const where = `${method} ${route.url}`;
      const { access, permission, rateLimit, captcha, idempotency, audit, bypassEnvelope } = (route.config ??
        {}) as Record<string, unknown>;
      const refusals = Object.keys(operation.responses).flatMap((status) => api.codesOf(operation, Number(status)));
      const expected = ['RATE_LIMITED', 'INTERNAL_ERROR', 'HEADERS_TOO_MANY'];
      if (access !== 'public') {
        expected.push('TOKEN_MISSING', 'TOKEN_INVALID', 'SESSION_REVOKED', 'SESSION_EXPIRED', 'PASSWORD_CHANGED');
        expected.push('ACCOUNT_DISABLED', 'PERMISSION_DENIED', 'SESSION_STORE_UNAVAILABLE');
        expect(operation.security, where).toContainEqual({ bearer: [] });
      }
      if (permission !== undefined) {
        expected.push('PERMISSIONS_UNAVAILABLE');
        expect(operation['x-permission'], where).toEqual([permission].flat());
        for (const code of [permission].flat()) expect(operation.description, where).toContain(`\`${code}\``);
      }
      if (rateLimit !== false) expected.push('STORE_UNAVAILABLE');
      if (captcha === true) expected.push('CAPTCHA_INVALID');
      if (audit !== false) expected.push('AUDIT_UNAVAILABLE');
      if (idempotency !== undefined) {
        expected.push('IDEMPOTENCY_KEY_INVALID', 'IDEMPOTENCY_PROCESSING', 'IDEMPOTENCY_SUBMITTED');
        expected.push('IDEMPOTENCY_OUTCOME_UNKNOWN', 'IDEMPOTENCY_DIGEST_MISMATCH', 'IDEMPOTENCY_STORE_UNAVAILABLE');
        const isRequired = (idempotency as { required?: boolean }).required === true;
        expect(parameters, where).toContainEqual(
          expect.objectContaining({ in: 'header', name: 'Idempotency-Key', required: isRequired }),
        );
        if (isRequired) expected.push('IDEMPOTENCY_KEY_REQUIRED');
      }
      const isAlwaysClear =
        bypassEnvelope === true || ['/actuator/health', '/encryption/public-key'].includes(route.url);
      const given = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      if (!isAlwaysClear) {
        expected.push('ENVELOPE_REQUIRED', 'ENVELOPE_EXPIRED_OR_REPLAYED', 'ENVELOPE_TOO_LARGE');
        expect(given, where).toContain('header Api-Encryption');
      } else {
        expect(refusals, where).not.toContain('ENVELOPE_REQUIRED');
        expect(given, where).not.toContain('header Api-Encryption');
      }
      const { body, querystring, params } = (route.schema ?? {}) as Record<string, { properties?: object }>;
      if (body !== undefined) {
        expected.push('VALIDATION_FAILED', 'BODY_MALFORMED', 'BODY_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED');
        expect(operation.requestBody, where).toBeDefined();
      }
      for (const name of Object.keys(querystring?.properties ?? {})) expect(given, where).toContain(`query ${name}`);
      for (const name of Object.keys(params?.properties ?? {})) expect(given, where).toContain(`path ${name}`);
      expect(refusals, where).toEqual(expect.arrayContaining(expected));
      expect(new Set(refusals).size, where).toBe(refusals.length);
      expect(operation.summary, where).toMatch(/^[A-Z].{5,}[^.]$/s);
      expect(names, where).toContain(operation.tags[0]);
      expect(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        where,
      ).toBe(true);
    }
  });

  it('HTTP-2 OPS-2 the document has every refusal, with the status of its error', () => {
    const documented = new Map<string, number>();
    for (const operation of api.operations) {
      for (const status of Object.keys(operation.responses).map(Number)) {
        for (const code of api.codesOf(operation, status)) documented.set(code, status);
      }
    }
    const defined = allRefusals().filter(({ code }) => ![...BEFORE_ROUTES, ...REPLACED].includes(code));
    expect([...documented].sort()).toEqual(defined.map(({ code, status }) => [code, status]).sort());
  });

  it('OPS-2 real refusals match the document', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const payment = { payee: 'Harbour Supplies', amount: '12.50' };
    const other = await grantedAdministrator(bench.database, ['api:admin:roles:list']);
    const { data } = (await signIn(app, { ...credentials, username: other })).json();
    const limited = { authorization: `Bearer ${data.token}` };
    const requests: readonly (readonly [number, string, string, InjectOptions?])[] = [
      [401, 'POST', '/admin/auth/login', { payload: { ...credentials, username: 'nobody' } }],
      [400, 'POST', '/admin/auth/login', { payload: { username: 'admin', surplus: 1 } }],
      [415, 'POST', '/admin/auth/login', { payload: 'x', headers: { 'content-type': 'text/plain' } }],
      [403, 'POST', '/admin/auth/register', { payload: {} }],
      [401, 'GET', '/admin/profile'],
      [401, 'GET', '/admin/profile', { headers: { authorization: 'Bearer a.b.c' } }],
      [403, 'GET', '/admin/payments', { headers: limited }],
      [400, 'POST', '/admin/payments', { headers, payload: payment }],
      [201, 'POST', '/admin/payments', { headers: { ...headers, ...key }, payload: payment }],
      [409, 'POST', '/admin/payments', { headers: { ...headers, ...key }, payload: payment }],
      [422, 'POST', '/admin/payments', { headers: { ...headers, ...key }, payload: { ...payment, amount: '1' } }],
      [404, 'GET', '/admin/payments/:id', { headers }],
      [400, 'POST', '/app/auth/sendSmsCode', { payload: { mobile: 'x' } }],
      [204, 'POST', '/auth/logout', { headers: limited }],
    ];
    for (const [status, method, url, options = {}] of requests) {
      const target = url.replace(':id', randomUUID());
      const response = await app.inject({ method: method as 'GET', url: target, ...options });
      expect([method, url, response.statusCode, api.disagreement(method, url, response)]).toEqual([
        method,
        url,
        status,
        null,
      ]);
    }
  });

  it('OPS-2 the page loads resources of this server only, under a policy without inline scripts', async () => {
    const page = await app.inject('/api-docs');
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|https?:/);
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(5);
    for (const file of files) {
      const response = await app.inject(file);
      expect([file, response.statusCode, response.headers['x-content-type-options']]).toEqual([file, 200, 'nosniff']);
    }
    const outside = await app.inject('/api-docs/static/..%2f..%2fpackage.json');
    expect(outside.statusCode).toBe(404);
  });

  it('OPS-2 unless turned on its paths are refused like any unknown path, with the same answers', async () => {
    const off = await bench.app(ENCRYPTION);
    const shown = async (url: string, given: Record<string, string>) => {
      const response = await off.inject({ url, headers: given });
      return [response.statusCode, { ...response.json(), requestId: '' }];
    };
    for (const given of [{}, headers]) {
      const unknown = await shown('/no-such-path', given);
      for (const path of ['', '/', '/json', '/yaml', '/static/swagger-ui.css']) {
        expect(await shown(`/api-docs${path}`, given)).toEqual(unknown);
      }
    }
    for (const url of ['/admin/system-parameters', '/admin/roles', '/actuator/health']) {
      const [on, without] = await Promise.all([app.inject({ url, headers }), off.inject({ url, headers })]);
      expect(on.body).toBe(without.body);
    }
  });

  it('OPS-2 OPS-10 production refuses to turn it on, and registering the plugin in the wrong place refuses the start', async () => {
    const production = {
      SERVICE_PROFILE: 'production',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
      SERVICE_AUTH_TOKEN_KEY: 'x',
      SERVICE_AUDIT_CHECKPOINT_FILE: '/mnt/checkpoints',
    };
    expect(() => bench.config({ ...production, SERVICE_API_DOCS_ENABLED: 'true' })).toThrow(
      /SERVICE_API_DOCS_ENABLED is on/,
    );
    expect(() => bench.config(production)).not.toThrow();
    const late = createApp(bench.config());
    late.decorateRequest('audit', null);
    await expect(late.register(apiDocs, { config: bench.config(), ...catalog })).rejects.toThrow(/register it before/);
    await late.close();
  });
});
