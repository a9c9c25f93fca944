import { randomBytes } from 'node:crypto';
import { type ApiClient, dataOf, newKey } from '@sallyport/api-client';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../scripts/test-database.js';
import { lacks } from '../../../scripts/test-needs.js';
import { describeAdministrators } from './places/administrators.js';
import { describeAppSide } from './places/app-side.js';
import { describeAppUsers } from './places/app-users.js';
import { describeAuditLog } from './places/audit-log.js';
import { describeBadWeather } from './places/bad-weather.js';
import { describeDoubleClicks } from './places/double-clicks.js';
import { describeEveryPage } from './places/every-page.js';
import { describeFactorMode } from './places/factor-mode.js';
import { describeFiles } from './places/files.js';
import { describeLaboratory } from './places/laboratory.js';
import { describeLoginLimits } from './places/login-limits.js';
import { describeParameters } from './places/parameters.js';
import { describePayments } from './places/payments.js';
import { describeProfile } from './places/profile.js';
import { describeRoles } from './places/roles.js';
import { describeSecondFactor } from './places/second-factor.js';
import { describeSessions } from './places/sessions.js';
import { describeSharedSession } from './places/shared-session.js';
import { describeSignIn } from './places/sign-in.js';
import { describeWatch } from './places/watch.js';
import { buildConsole } from './support/built-console.js';
import { type ConsoleWorld, openWorld } from './support/console-world.js';
import { pageTests } from './support/page-tests.js';
import { type ServiceProcess, startService } from './support/service-process.js';

/** One evaluation for each puzzle of a proof of work. */
const CHEAPEST_PROOF = 6;

/**
 * Every place of the console: plain on the embedded database, or sealed on PostgreSQL. Requirement CON-4. Sealed, it
 * has the cases that depend on how requests and answers travel, and the main ways: sign-in, second factor, reading,
 * writing, uploads and downloads. How the pages look, what they check themselves, and what a click sends do not depend
 * on that.
 */
export function describeConsole(mode: 'OFF' | 'REQUIRED', storage: 'PGlite' | 'PostgreSQL'): void {
  const isPlain = mode === 'OFF';
  const pageIt = pageTests(mode);
  const name = `the console, encryption ${mode}, on ${storage}`;
  describe.skipIf(lacks('chromium'))(name, { timeout: 90_000, retry: 1 }, () => {
    let database: TestDatabase | null = null;
    let service: ServiceProcess;
    let world: ConsoleWorld;
    beforeAll(async () => {
      database = storage === 'PostgreSQL' ? await createTestDatabase() : null;
      const settings = database === null ? {} : { SERVICE_DATABASE_URL: database.url };
      const key = isPlain ? {} : { SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex') };
      service = await startService({ SERVICE_API_ENCRYPTION_MODE: mode, ...key, ...settings });
      await buildConsole();
      world = await openWorld(service, mode);
      await cheapenProofs(world.client);
    });
    afterEach(async ({ task }) => {
      // A second attempt that passes hides the reason of the first one.
      const { state, errors } = task.result ?? {};
      if (state === 'fail') {
        process.stderr.write(`failed: ${task.name}: ${errors?.at(-1)?.message}\n`);
        // Guesses of the test may have locked the address of all others.
        await world?.client.api.POST('/admin/auth/clearLoginLimit', { body: { clientIp: '127.0.0.1' } });
      }
      await world?.closeTabs();
    });
    afterAll(async () => {
      await world?.close();
      await service?.remove();
      await database?.drop();
    });

    describe('CON-1 CON-2 CON-4 sign-in', () => describeSignIn(() => world, pageIt));
    describe('CON-3 laboratory', () => describeLaboratory(() => world, pageIt));
    describe('CON-6 watch', () => describeWatch(() => world, pageIt));
    describe('CON-2 sessions', () => describeSessions(() => world, pageIt));
    describe('CON-5 app side', () => describeAppSide(() => world, pageIt));
    describe('payments', () => describePayments(() => world, pageIt));
    if (isPlain) describe('CON-9 a session in tabs', () => describeSharedSession(() => world));
    if (isPlain) describe('CON-9 double clicks', () => describeDoubleClicks(() => world));
    describe('administrators', () => describeAdministrators(() => world, pageIt));
    if (isPlain) describe('CON-7 app users and messages', () => describeAppUsers(() => world, pageIt));
    describe('roles', () => describeRoles(() => world, pageIt));
    if (isPlain) describe('profile', () => describeProfile(() => world, pageIt));
    describe('MFA-1 MFA-2 second factor', () => describeSecondFactor(mode, pageIt));
    if (isPlain) describe('the mode of the second factor', () => describeFactorMode(() => world, pageIt));
    describe('files', () => describeFiles(() => world, pageIt));
    describe('audit log', () =>
      describeAuditLog(
        () => world,
        pageIt,
        storage,
        () => database,
      ));
    describe('login limits', () => describeLoginLimits(() => world, pageIt));
    describe('parameters', () => describeParameters(() => world, pageIt));
    describe('CON-2 bad weather', () =>
      describeBadWeather(
        () => world,
        () => database,
      ));
    if (isPlain) describe('CON-1 CON-8 every page', () => describeEveryPage(() => world));
  });
}

/** A solved puzzle takes seconds of a processor. What its cost is, the tests of the captcha say. */
async function cheapenProofs({ api }: ApiClient): Promise<void> {
  for (const [name, value] of [
    ['cost', CHEAPEST_PROOF],
    ['memory-mebibytes', 1],
  ] as const) {
    const path = { key: `auth.captcha.proof-of-work.${name}` };
    const { version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path } })).data;
    const params = { path, header: newKey() };
    dataOf(await api.PUT('/admin/system-parameters/{key}', { params, body: { value, version } }));
  }
}
