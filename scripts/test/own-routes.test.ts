import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import envelopeCrypto, { publicKeyRoute } from '../../packages/envelope-crypto/src/index.js';
import { ownCompilers } from '../../packages/plugin-kit/src/routes/index.js';
import replayGuard from '../../packages/replay-guard/src/index.js';
import systemParameters, {
  adminParameterRoutes,
  createMemorySource,
  publicParametersRoute,
} from '../../packages/system-parameters/src/index.js';
import { passwordParameters } from '../../packages/system-parameters/test/login-parameters.js';
import { createMemoryStore } from '../../packages/ttl-store/src/index.js';
import uploadPolicy, {
  createFileDestination,
  type UploadDestination,
  uploadRefusalSchema,
} from '../../packages/upload-policy/src/index.js';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

/** As those of fastify-type-provider-zod: they know schemas of zod alone. */
function takeZodSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(
    ({ schema }) =>
      (data) =>
        (schema as { safeParse(data: unknown): never }).safeParse(data),
  );
  app.setSerializerCompiler(({ schema }) => {
    if (schema === null || !('safeParse' in (schema as object))) throw new Error('Invalid schema passed');
    return JSON.stringify;
  });
}

/** As the validator of @fastify/type-provider-typebox: it coerces nothing, and fills in no defaults. */
function takeTypeBoxSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(() => () => ({ error: [{ message: '"number" is required!' }] as never }));
}

async function open(takeSchemas: (app: FastifyInstance) => void): Promise<[FastifyInstance, RouteOptions[]]> {
  const app = Fastify();
  onTestFinished(() => app.close());
  takeSchemas(app);
  const privateKey = randomBytes(32).toString('hex');
  await app.register(envelopeCrypto, { mode: 'OPTIONAL', keyId: 'k', privateKey, kernelThread: false });
  await app.register(replayGuard, { store: createMemoryStore() });
  await app.register(systemParameters, {
    tables: [{ definitions: passwordParameters }],
    source: createMemorySource(),
  });
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  await app.register(publicKeyRoute);
  await app.register(publicParametersRoute);
  await app.register(adminParameterRoutes, { changedBy: () => 'ada' });
  await app.ready();
  return [app, routes];
}

const key = passwordParameters.minLength.key;

describe.each([
  ['zod', takeZodSchemas],
  ['TypeBox', takeTypeBoxSchemas],
] as const)(
  "ADP-14 beside the compilers of a type provider for %s on the root, the packages' own routes",
  (_, take) => {
    it('have compilers of their own, every one of them', async () => {
      const [, routes] = await open(take);
      const without = routes.filter(({ validatorCompiler, serializerCompiler }) => {
        return (
          validatorCompiler !== ownCompilers.validatorCompiler || serializerCompiler !== ownCompilers.serializerCompiler
        );
      });
      expect(routes.length).toBeGreaterThan(6);
      expect(without).toEqual([]);
    });

    it('answer as ever, and refuse what their schemas do not know', async () => {
      const [app] = await open(take);
      expect((await app.inject('/public/system-parameters')).json()).toEqual({ data: expect.objectContaining({}) });
      const page = (await app.inject('/admin/system-parameters?page=2&size=1')).json();
      expect(page.page).toEqual({ number: 2, size: 1, total: Object.keys(passwordParameters).length });
      const url = `/admin/system-parameters/${key}`;
      expect((await app.inject(url)).json().data).toMatchObject({ key, value: 6 });
      const put = async (payload: object) => (await app.inject({ method: 'PUT', url, payload })).statusCode;
      expect(await put({ value: 8, version: 0 })).toBe(200);
      expect(await put({ value: 9 })).toBe(400);
      expect(await put({ value: 9, version: 1, confrim: true })).toBe(400);
      expect((await app.inject('/admin/system-parameters?page=0')).statusCode).toBe(400);
      expect((await app.inject('/encryption/public-key')).json().data.mode).toBe('OPTIONAL');
    });
  },
);

it('ADP-14 uploadRefusalSchema is known beside the compilers of a type provider, which keep the other schemas', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  takeZodSchemas(app);
  await app.register(uploadPolicy, { policy: { maxSizeMb: 1, allowedExtensions: 'png' } });
  const zod = { safeParse: () => ({}) };
  const destination = () =>
    createFileDestination({ folder: packages, keep: async () => 1 }) as UploadDestination<number>;
  const response = { 200: zod, '4xx': uploadRefusalSchema };
  app.post('/files', { schema: { response } }, async (request) => app.uploadPolicy.receive(request, destination()));
  await app.ready();

  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const payload =
    '--x\r\ncontent-disposition: form-data; name="f"; filename="a.exe"\r\n' +
    'content-type: application/octet-stream\r\n\r\nMZ\r\n--x--\r\n';
  const answer = await app.inject({ method: 'POST', url: '/files', headers, payload });
  expect([answer.statusCode, answer.json().reason]).toEqual([415, expect.any(String)]);
});

it('ADP-14 every route that a package registers is given the compilers', () => {
  const registering =
    /^(?!\s*\*).*\b(?:app|fastify|instance|scope)\.(?:delete|get|head|patch|post|put|route)(?:<.*>)?\($/;
  const inOneLine =
    /^(?!\s*\*).*\b(?:app|fastify|instance|scope)\.(?:delete|get|head|patch|post|put|route)(?:<.*>)?\(\S/;
  const faults = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => {
        const lines = readFileSync(join(packages, name, 'src', path), 'utf8').split('\n');
        return lines.flatMap((line, index) => {
          const given = registering.test(line) ? lines.slice(index, index + 3).join(' ') : line;
          if (!registering.test(line) && !inOneLine.test(line)) return [];
          return given.includes('...ownCompilers') ? [] : [`${name}/src/${path}:${index + 1}`];
        });
      }),
  );
  expect(faults).toEqual([]);
});
