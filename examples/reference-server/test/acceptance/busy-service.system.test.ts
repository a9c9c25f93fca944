import { PasswordHashingBusyError } from '@sallyport/password-hashing';
import type { FastifyRequest } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAttestation } from '../../acceptance/asvs/attestation.js';
import { sightingsOf } from '../../acceptance/asvs/claim.js';
import { asvsClaims } from '../../acceptance/asvs/claims.js';
import type { AcceptanceCheck } from '../../acceptance/check.js';
import { acceptanceChecks } from '../../acceptance/checks.js';
import { exitStatusOf } from '../../acceptance/report-text.js';
import type { RunOptions, RunReport } from '../../acceptance/run-checks.js';
import type { App } from '../../src/app.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { accept, outcomes, type Target, target, unhurried } from './acceptance-run.js';

const GUESSES = 7;

describe('the acceptance command against a busy server', { timeout: 60_000 }, () => {
  let bench: TestBench;
  let server: Target | null = null;
  let waits: number[];
  beforeAll(async () => {
    bench = await openTestBench();
  });
  afterEach(async () => {
    await server?.app.close();
    server = null;
  });
  afterAll(() => bench.close());

  async function run(plant: (app: App) => void, only: readonly string[], more: Partial<RunOptions> = {}) {
    const config = bench.config(unhurried);
    server = await target(config, bench.resources(config), plant);
    waits = [];
    return accept(server, only, {
      sleep: async (millis, signal) => {
        signal?.throwIfAborted();
        waits.push(millis / 1000);
      },
      ...more,
    });
  }

  const isSignIn = ({ url }: FastifyRequest) => url === '/admin/auth/login';

  /** Refuses as a server does whose workers are all hashing. */
  function busy(isMeant: (request: FastifyRequest) => boolean, retryAfter?: string) {
    return (app: App) => {
      app.addHook('preHandler', async (request, reply) => {
        if (!isMeant(request)) return;
        if (retryAfter === undefined) throw new PasswordHashingBusyError();
        await reply.code(503).header('retry-after', retryAfter).send();
      });
    };
  }

  /** The claims about the deployment that name the check as evidence, for or against. */
  function claimsOn(report: RunReport, check: string): unknown[] {
    const release = { name: 'test', version: '1.0.0' };
    const bom = createAttestation({ report, claims: asvsClaims, release, secrets: [], now: new Date() });
    const { claims } = (bom as { declarations: { claims: Record<string, unknown>[] } }).declarations;
    return claims.filter(({ evidence = [], counterEvidence = [] }) =>
      [evidence, counterEvidence].flat().includes(`evidence:check:${check}`),
    );
  }

  it('OPS-13 guesses of which 3 met 503 are made again, at a new name whose failures begin at 0, and pass', async () => {
    const names: unknown[] = [];
    const isRefused = (request: FastifyRequest) => {
      if (!isSignIn(request)) return false;
      names.push((request.body as { username: unknown }).username);
      return names.length <= GUESSES && names.length > 4;
    };
    const report = await run(busy(isRefused), ['sign-in.guesses']);
    expect(outcomes(report)).toEqual({ 'sign-in.guesses': 'passed' });
    expect(waits).toEqual([5]);
    expect(new Set(names).size).toBe(2);
    expect([exitStatusOf(report), report.leftBehind]).toEqual([0, []]);
    expect(claimsOn(report, 'sign-in.guesses')).not.toEqual([]);
  });

  it('OPS-13 a check that meets 503 each time was not run: no hole, status 2, and no claim rests on it', async () => {
    const report = await run(busy(isSignIn), ['sign-in', 'headers.security']);
    const reason = 'not-run | POST /admin/auth/login was answered 503, Retry-After 2 (run 4 of at most 4)';
    expect(outcomes(report)).toMatchObject({ 'sign-in.guesses': reason, 'sign-in.names': reason });
    expect(report.checks.flatMap(({ holes }) => holes)).toEqual([]);
    expect(waits.slice(0, 3)).toEqual([5, 10, 20]);
    expect(exitStatusOf(report)).toBe(2);
    const resting = asvsClaims.filter((claim) => sightingsOf(claim).some((id) => id.startsWith('sign-in.guesses')));
    expect(resting).not.toEqual([]);
    expect(claimsOn(report, 'sign-in.guesses')).toEqual([]);
    expect(claimsOn(report, 'headers.security')).not.toEqual([]);
  });

  it('OPS-13 no check takes a 503 for a hole, wherever it meets it', async () => {
    let requests = 0;
    const isSeventh = ({ method }: FastifyRequest) => method !== 'DELETE' && ++requests % 7 === 0;
    // Nobody waits for that long, so that each check runs once.
    const report = await run(busy(isSeventh, '3600'), [], { isDevelopment: false });
    expect(report.checks).toHaveLength(acceptanceChecks.length);
    // The development routes of this server are holes of a production server, with or without a 503.
    const holes = report.checks.flatMap((check) => check.holes).filter((hole) => !hole.startsWith('/dev/'));
    expect(holes).toEqual([]);
    expect(report.checks.filter(({ outcome }) => outcome === 'not-run').length).toBeGreaterThan(5);
    expect(report.checks.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(5);
  });

  it('OPS-13 a check that ignores the 503 was not run either, and what it saw before is told', async () => {
    let runs = 0;
    const careless: AcceptanceCheck = {
      id: 'own.careless',
      title: 'looks at nothing',
      async run({ deployment, hole }) {
        runs += 1;
        hole('a door is open');
        const call = { method: 'POST', path: '/admin/auth/login', body: {} };
        await Promise.allSettled([deployment.call(call), deployment.send({ method: 'POST', target: call.path })]);
        await deployment.call({ path: '/admin/profile' }).catch(() => null);
        hole('the right password is answered 503');
      },
    };
    const busyRoute = (app: App) =>
      app.addHook('onRequest', async (request, reply) => {
        if (isSignIn(request)) await reply.code(503).send();
      });
    const { checks } = await run((app) => void busyRoute(app), [], { checks: [careless] });
    expect(checks[0]).toMatchObject({ outcome: 'not-run', holes: [], holeParts: [] });
    expect(checks[0]?.did).toContain('seen before the 503, and to be looked at again: a door is open');
    expect(runs).toBe(4);
  });

  it('OPS-13 Retry-After is waited for, but not if it is longer than anybody waits', async () => {
    let refusals = 0;
    const once = (request: FastifyRequest) => isSignIn(request) && ++refusals === 1;
    const report = await run(busy(once, '30'), ['sign-in.names']);
    expect([outcomes(report), waits]).toEqual([{ 'sign-in.names': 'passed' }, [30]]);
    await server?.app.close();
    const late = await run(busy(isSignIn, '3600'), ['sign-in.names']);
    const reason = 'not-run | POST /admin/auth/login was answered 503, Retry-After 3600 (run 1 of at most 4)';
    expect([outcomes(late), waits]).toEqual([{ 'sign-in.names': reason }, []]);
  });

  it('OPS-13 a 503 to the token, to the public key or to a deletion is tried again, and nothing is left behind', async () => {
    const seen = new Set<string>();
    const isFirst = ({ method, url }: FastifyRequest) => {
      const key = method === 'DELETE' ? method : url;
      if (key !== 'DELETE' && key !== '/admin/profile' && key !== '/encryption/public-key') return false;
      return seen.size < seen.add(key).size;
    };
    const report = await run(busy(isFirst), ['privileges.foreign']);
    expect(outcomes(report)).toEqual({ 'privileges.foreign': 'passed' });
    expect([exitStatusOf(report), report.leftBehind]).toEqual([0, []]);
    expect([...seen].sort()).toEqual(['/admin/profile', '/encryption/public-key', 'DELETE']);
  });
});
