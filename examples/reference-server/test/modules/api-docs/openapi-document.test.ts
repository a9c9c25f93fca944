import { readFileSync } from 'node:fs';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compactJson } from '../../../../../scripts/compact-json.mjs';
import type { App } from '../../../src/app.js';
import { ADMINISTRATOR_ID, ROLE_ID, THING_ID } from '../../../src/http/example-values.js';
import type { OperationTexts } from '../../../src/http/operation-text.js';
import type { DocumentedRoute } from '../../../src/modules/api-docs/documented-route.js';
import { completeDocument, documentBase } from '../../../src/modules/api-docs/openapi-document.js';
import { administrators, appUsers, roles } from '../../../src/storage/schema.js';
import { codeFor } from '../../support/app-accounts.js';
import { type ApiDocument, documentedApi, type PlacedOperation } from '../../support/documented-api.js';
import { bearer, openTestBench, type TestBench } from '../../support/test-app.js';

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

interface Made {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const kept = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8');

/** API-2: without spaces, and as the file in the repository. */
const MAX_DOCUMENT_BYTES = 300_000;

const JSON_TYPE = 'application/json';

describe('the OpenAPI document', () => {
  let bench: TestBench;
  let app: App;
  let api: ReturnType<typeof documentedApi>;
  beforeAll(async () => {
    bench = await openTestBench();
    app = await bench.app({ SERVICE_API_DOCS_ENABLED: 'true' });
    api = documentedApi((await app.inject('/api-docs/json')).json<ApiDocument>());
  });
  afterAll(() => bench.close());

  it('API-2 is in the repository: run `pnpm run openapi` if this fails', () => {
    expect(JSON.parse(kept)).toEqual(api.document);
    expect(kept).toBe(`${compactJson(api.document)}\n`);
  });

  it('API-2 has at most 300 kB', () => {
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MAX_DOCUMENT_BYTES);
    expect(Buffer.byteLength(JSON.stringify(api.document))).toBeLessThanOrEqual(MAX_DOCUMENT_BYTES);
  });

  it('API-2 has a named schema for each body and each answer, and refusals by reference', () => {
    const named = { $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z][A-Za-z0-9]*$/) };
    for (const { method, url, requestBody, responses } of api.operations) {
      const where = `${method} ${url}`;
      if (requestBody?.content?.[JSON_TYPE] !== undefined) {
        expect([where, requestBody.content[JSON_TYPE].schema]).toEqual([where, named]);
      }
      for (const [status, answer] of Object.entries(responses)) {
        const isRefusal = Number(status) >= 400 && !('content' in answer && answer.content?.[JSON_TYPE] !== undefined);
        if (isRefusal) {
          const reference = { $ref: expect.stringMatching(`^#/components/responses/Refused${status}`) };
          expect([where, answer]).toEqual([where, reference]);
        } else if ('content' in answer && answer.content?.[JSON_TYPE] !== undefined) {
          expect([where, answer.content[JSON_TYPE].schema]).toEqual([where, named]);
        }
      }
    }
    expect(Object.keys(api.document.components.schemas)).toEqual(expect.arrayContaining(['Page', 'Problem', 'Role']));
  });

  it('API-2 lists the values of a member that has a closed set of them', () => {
    const schemas = api.document.components.schemas as Readonly<Record<string, Schema>>;
    const membersOf = (schema: Schema): [string, Schema][] =>
      Object.entries(schema.properties ?? {}).flatMap(([name, each]): [string, Schema][] => [
        [name, each],
        ...membersOf(each.items ?? each),
      ]);
    const closed = /^(kind|state|outcome|counter|limit|rule|audience|algorithm|tokenType|mode)$/;
    const open = Object.entries(schemas).flatMap(([name, schema]) =>
      membersOf(schema)
        .filter(([member, { type, enum: values }]) => closed.test(member) && type === 'string' && values === undefined)
        .map(([member]) => `${name}.${member}`),
    );
    expect(open).toEqual([]);
    expect(schemas.LoginCounter?.properties?.state?.enum).toEqual(['counting', 'locked']);
  });

  it('API-2 describes the envelope as a transport: no schema has one, no operation is a webhook', () => {
    expect(Object.keys(api.document.components.schemas).filter((name) => /Envelope|Sealed/.test(name))).toEqual([]);
    expect(Object.keys(api.document)).not.toContain('webhooks');
    expect(kept).toContain('`Api-Encryption: v1`');
  });

  it('API-2 requires no input that has a default', () => {
    const defaults = api.operations.flatMap(api.parametersOf).filter(({ schema }) => schema?.default !== undefined);
    expect(defaults.length).toBeGreaterThan(20);
    expect(defaults.filter(({ required }) => required)).toEqual([]);
  });

  it('API-2 every example is valid against its schema', () => {
    let examples = 0;
    for (const operation of api.operations) {
      const answers = Object.keys(operation.responses).map((status) => api.answerOf(operation, Number(status)));
      for (const part of [operation.requestBody, ...answers]) {
        for (const { schema = {}, example } of Object.values(part?.content ?? {})) {
          if (example === undefined) continue;
          examples += 1;
          const where = `${operation.method} ${operation.url}: ${JSON.stringify(example)}`;
          expect([where, api.faultsOf(schema, example)]).toEqual([where, null]);
        }
      }
    }
    expect(examples).toBeGreaterThan(60);
  });

  /** What a request has to have that no example can: a captcha is issued once, and no factor is enrolled. */
  const WITHOUT_MORE: Readonly<Record<string, string>> = {
    'POST /admin/auth/register': 'REGISTRATION_CLOSED',
    'POST /app/auth/recoverPassword': 'CAPTCHA_INVALID',
    'POST /auth/second-factor/options': 'SECOND_FACTOR_NOT_ENROLLED',
    'POST /auth/second-factors/totp': 'SECOND_FACTOR_OFF',
    'POST /auth/second-factors/totp/:id/confirm': 'SECOND_FACTOR_OFF',
    'POST /auth/second-factors/passkeys/options': 'SECOND_FACTOR_OFF',
    'POST /auth/second-factors/passkeys': 'SECOND_FACTOR_OFF',
    'POST /auth/second-factors/recovery-codes': 'SECOND_FACTOR_OFF',
  };

  it('API-2 every example of a request is served as it stands, on a server with the ids of the examples', async () => {
    const { orm } = bench.database;
    await orm.insert(roles).values({ id: ROLE_ID, name: 'Clerks', permissions: [] });
    const account = { username: 'example', displayName: 'Example', passwordHash: '' };
    await orm.insert(administrators).values({ id: ADMINISTRATOR_ID, ...account });
    await orm.insert(appUsers).values({ id: THING_ID, mobile: '+8613912345678' });
    const byAdmin = await bearer(app);

    const exampleOf = ({ requestBody }: PlacedOperation) => requestBody?.content?.[JSON_TYPE]?.example;
    const withExample = api.operations.filter((operation) => exampleOf(operation) !== undefined);
    expect(withExample.length).toBeGreaterThan(18);

    async function send(operation: PlacedOperation, headers: object, known: object = {}) {
      const { method, url } = operation;
      const ids = { administrators: ADMINISTRATOR_ID, roles: ROLE_ID, 'app-users': THING_ID };
      const path = url
        .replace(/(administrators|roles|app-users)\/:id/, (_, kind: keyof typeof ids) => `${kind}/${ids[kind]}`)
        .replace(':key', 'admin.auth.login.failure-count');
      const key = api.parametersOf(operation).some(({ name }) => name === 'Idempotency-Key')
        ? { 'idempotency-key': crypto.randomUUID() }
        : {};
      const payload = { ...(exampleOf(operation) as object), ...known };
      return app.inject({ method, url: path, headers: { ...headers, ...key }, payload } as InjectOptions);
    }

    // Codes and handles are made by the server.
    const byMessage = api.operationOf('POST', '/app/auth/login')!;
    const { mobile } = exampleOf(byMessage) as { mobile: string };
    const smsCode = await codeFor(app, mobile);
    const signedIn = await send(byMessage, {}, { smsCode, handle: undefined });
    expect(signedIn.statusCode).toBe(200);
    const byUser = { authorization: `Bearer ${signedIn.json().data.token}` };

    const own = 'PUT /admin/profile/password';
    const nameOf = ({ method, url }: PlacedOperation) => `${method} ${url}`;
    const others = withExample.filter((operation) => operation !== byMessage && nameOf(operation) !== own);
    // The change of the password ends the session.
    for (const operation of [...others, api.operationOf('PUT', '/admin/profile/password')!]) {
      const where = nameOf(operation);
      const isOfUser = operation.url.startsWith('/app/') && !operation.url.startsWith('/app/auth/');
      // The code of the example is nobody's.
      const known = where === 'PUT /app/profile/password' ? { smsCode } : {};
      const response = await send(operation, isOfUser ? byUser : byAdmin, known);
      const outcome = response.statusCode < 300 ? 'served' : response.json().code;
      const expected = where === 'PUT /app/profile/password' ? 'SMS_CODE_WRONG' : (WITHOUT_MORE[where] ?? 'served');
      expect([where, outcome]).toEqual([where, expected]);
      if (outcome !== 'served') continue;
      expect([where, api.disagreement(operation.method, operation.url, response)]).toEqual([where, null]);
    }
  });
});

describe('the making of the document', () => {
  const config = { access: 'public', audit: false, bypassEnvelope: true } as const;
  const route = (url: string): DocumentedRoute => ({
    ...{ method: 'POST', url, config, schema: {}, handlerName: url.slice(1), isInTheClear: true },
  });
  const text = { tag: 'Tests', summary: 'Test' };
  const texts: OperationTexts = { 'POST /one': text, 'POST /two': text };

  function made(schemas: Readonly<Record<string, { body: object; answer: object }>>) {
    const paths = Object.entries(schemas).map(([path, { body, answer }]) => {
      const content = (schema: object) => ({ content: { [JSON_TYPE]: { schema } } });
      return [
        path,
        { post: { requestBody: content(body), responses: { 200: { description: '', ...content(answer) } } } },
      ];
    });
    const document = { ...documentBase({}), paths: Object.fromEntries(paths) };
    return completeDocument(document as never, Object.keys(schemas).map(route), texts);
  }

  const item = { title: 'Item', type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const named = (title: string, more: object = {}) => ({ title, type: 'object', properties: { item, ...more } });

  it('API-2 refuses a body and an answer without a name, and says of which routes', () => {
    const nameless = { type: 'object', properties: {} };
    expect(() => made({ '/one': { body: nameless, answer: item }, '/two': { body: item, answer: nameless } })).toThrow(
      /POST \/one, body: the schema has no title\nPOST \/two, answer 200: the schema has no title/,
    );
    expect(() => made({ '/one': { body: item, answer: { ...item, title: 'An item' } } })).toThrow(/POST \/one, answer/);
  });

  it('API-2 refuses two schemas with one name', () => {
    const other = { ...item, properties: {} };
    expect(() => made({ '/one': { body: item, answer: item }, '/two': { body: item, answer: other } })).toThrow(
      /POST \/two, answer 200: the schema Item differs from that of POST \/one, body/,
    );
  });

  it('API-2 gives an integer without a maximum the width of a time, and choices of texts one list', () => {
    const at = { type: 'integer' };
    const kind = {
      anyOf: [
        { type: 'string', enum: ['one'] },
        { type: 'string', enum: ['two'] },
      ],
    };
    const until = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
    const { components } = made({ '/one': { body: item, answer: named('Event', { at, kind, until }) } }) as Made;
    expect(components.schemas.Event).toMatchObject({
      properties: {
        at: { type: 'integer', format: 'int64' },
        kind: { type: 'string', enum: ['one', 'two'] },
        until: { type: ['integer', 'null'], format: 'int64' },
      },
    });
  });

  it('API-2 turns "one of these members" into a choice of objects, which generators of types understand', () => {
    const [password, code] = [
      { type: 'string', minLength: 1 },
      { type: 'string', maxLength: 6 },
    ];
    const body = {
      ...{ title: 'Credentials', type: 'object', properties: { password, code }, additionalProperties: false },
      anyOf: [{ required: ['password'] }, { required: ['code'] }],
    };
    const { components } = made({ '/one': { body, answer: item } }) as Made;
    expect(components.schemas.Credentials).toEqual({
      allOf: [
        { type: 'object', properties: { password, code }, additionalProperties: false },
        {
          anyOf: [
            { type: 'object', required: ['password'], properties: { password } },
            { type: 'object', required: ['code'], properties: { code } },
          ],
        },
      ],
    });
  });

  it('API-2 has a named schema once, and requires no member of a body that has a default', () => {
    const size = { type: 'integer', maximum: 200, default: 20 };
    const body = { ...named('Order', { size }), required: ['item', 'size'] };
    const { components } = made({ '/one': { body, answer: item } }) as Made;
    const { title: _, ...content } = item;
    expect(components.schemas.Item).toEqual(content);
    expect(components.schemas.Order).toEqual({
      type: 'object',
      properties: { item: { $ref: '#/components/schemas/Item' }, size },
      required: ['item'],
    });
  });
});
