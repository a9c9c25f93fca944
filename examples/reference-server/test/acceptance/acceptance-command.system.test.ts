import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAcceptanceCommand } from '../../acceptance/acceptance-command.js';
import { adminRoutes } from '../../acceptance/admin-routes.js';
import type { AcceptanceCheck } from '../../acceptance/check.js';
import { acceptanceChecks } from '../../acceptance/checks.js';
import { createLineInput } from '../../acceptance/line-input.js';
import { NotApplicableError, NotRunError } from '../../acceptance/not-run.js';
import { composeApp, createApp } from '../../src/app.js';
import { actor, root } from '../support/accounts.js';
import { openTestBench, type TestBench } from '../support/test-app.js';
import { type Target, target, unhurried } from './acceptance-run.js';

/** A check that a deployment adds. */
function check(id: string, run: AcceptanceCheck['run']): AcceptanceCheck {
  return { id, title: `what ${id} is about`, run };
}

const passing = check('own.passing', async ({ did }) => did('looked'));

describe('the acceptance command', { timeout: 300_000 }, () => {
  let bench: TestBench;
  let server: Target;
  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config(unhurried);
    server = await target(config, bench.resources(config));
  });
  afterAll(async () => {
    await server.app.close();
    await bench.close();
  });

  interface Given {
    readonly checks?: readonly AcceptanceCheck[];
    readonly token?: string | undefined;
    readonly lines?: readonly string[];
    readonly interruption?: AbortController;
  }

  /** By default against the server, with its administrator's token in the environment. */
  async function run(argv: readonly string[], given: Given = {}) {
    const { checks = [passing], lines = [], interruption = new AbortController() } = given;
    const token = 'token' in given ? given.token : server.token;
    const rest = [...lines];
    let output = '';
    let errors = '';
    const status = await runAcceptanceCommand({
      argv,
      env: { ...(token !== undefined && { ACCEPTANCE_TOKEN: token }) },
      checks,
      ask: async () => rest.shift() ?? null,
      signal: interruption.signal,
      write: (text) => {
        output += text;
      },
      writeError: (text) => {
        errors += text;
      },
    });
    return { status, output, errors };
  }
  const here = () => ['--url', server.url.href];
  const names = async () => {
    const admin = await root(server.app);
    const lists = ['/admin/administrators', '/admin/roles', '/admin/storage/files'];
    const answers = await Promise.all(lists.map((path) => admin.call('GET', `${path}?size=200`)));
    return answers
      .flatMap((answer) => answer.json().data.map((item: Record<string, string>) => item.username ?? item.name))
      .sort();
  };

  it('OPS-6 the exit status is 0 if all checks pass, 1 for a hole, and 2 if a check could not run', async () => {
    const hole = check('own.hole', async (context) => context.hole('a door\u001b[2J is open'));
    const broken = check('own.broken', async () => {
      throw new NotRunError('the key is missing');
    });
    const off = check('own.off', async () => {
      throw new NotApplicableError('it is switched off');
    });
    expect(await run(here(), { checks: [passing, off] })).toMatchObject({
      status: 0,
      output: expect.stringMatching(
        /PASS {2}own\.passing[\s\S]+DOES NOT APPLY {2}own\.off[\s\S]+1 passed, 0 with holes/,
      ),
    });
    const holed = await run(here(), { checks: [passing, broken, hole] });
    expect(holed).toMatchObject({ status: 1, output: expect.stringContaining('HOLE: a door\\u001b[2J is open') });
    expect(await run(here(), { checks: [passing, broken] })).toMatchObject({
      status: 2,
      output: expect.stringMatching(/NOT RUN {2}own\.broken[\s\S]+because: the key is missing[\s\S]+1 not run/),
    });
    expect((await run(here(), { checks: [off] })).status).toBe(2);
  });

  it('OPS-6 --json prints one object, --only selects checks and subjects, --list runs none', async () => {
    const other = check('other.one', async (context) => context.hole('never'));
    const { status, output } = await run([...here(), '--json', '--only', 'own'], { checks: [passing, other] });
    const { status: told, checks, leftBehind } = JSON.parse(output);
    expect([status, told, leftBehind]).toEqual([0, 0, []]);
    expect(checks).toEqual([
      {
        ...{ id: 'own.passing', title: passing.title, outcome: 'passed', did: ['looked'], holes: [], holeParts: [] },
        ...{ skipped: [], reason: null, at: expect.stringMatching(/^\d{4}-.*Z$/) },
      },
    ]);
    const listed = await run(['--list'], { checks: acceptanceChecks, token: undefined });
    expect(listed.output.trim().split('\n')).toHaveLength(acceptanceChecks.length);
    expect(new Set(acceptanceChecks.map(({ id }) => id)).size).toBe(acceptanceChecks.length);
    expect(await run([...here(), '--only', 'owl'])).toMatchObject({
      status: 2,
      errors: expect.stringContaining('--only knows no owl'),
    });
  });

  it('OPS-6 the token comes from the environment or a line of input, never from an argument, and is never shown', async () => {
    for (const argument of [['--token', server.token], [`--token=${server.token}`]]) {
      const refused = await run([...here(), ...argument]);
      expect(refused.status).toBe(2);
      expect(refused.errors).toMatch(/shown to everybody on this machine/);
      expect(refused.errors).not.toContain(server.token);
    }
    const typed = await run([...here(), '--only', 'own'], { token: undefined, lines: [`Bearer ${server.token}`] });
    expect(typed.status).toBe(0);
    expect(typed.output).not.toContain(server.token);
    expect((await run(here(), { token: undefined })).errors).toMatch(/no token/);
    expect((await run(here(), { token: 'a b' })).errors).toMatch(/is no token/);
    expect(await run(here(), { token: 'nobodys.token.atall' })).toMatchObject({
      status: 2,
      errors: expect.stringContaining('the token is not accepted: 401 TOKEN_INVALID'),
    });
  });

  it.each([
    [[], /--url is missing/],
    [['--url', 'service.example'], /absolute URL/],
    [['--url', 'http://service.example'], /plain HTTP/],
    [['--url', 'https://a:b@service.example'], /must not hold a name or a password/],
    [['--url', 'ftp://service.example'], /https:/],
    [['--url', 'https://service.example', '--captcha', 'guess'], /--captcha knows one word/],
    [['--url', 'https://service.example', '--verbose'], /verbose/],
    [['--url', 'http://127.0.0.1:1'], /Nothing was checked/],
  ])('OPS-6 %j is refused with status 2', async (argv, message) => {
    expect(await run(argv)).toMatchObject({ status: 2, errors: expect.stringMatching(message) });
  });

  it('OPS-6 when interrupted, it deletes what it created, says so, and exits with 2', async () => {
    const before = await names();
    const interruption = new AbortController();
    const seen: string[][] = [];
    const interrupted = check('own.interrupted', async ({ temporaries, deployment, operator }) => {
      const { id } = await temporaries.role([]);
      await temporaries.administrator([id]);
      seen.push(await names());
      interruption.abort(new Error('interrupted'));
      await deployment.call({ path: '/admin/profile', token: operator.token });
    });
    const { status, output } = await run(here(), { checks: [interrupted, passing], interruption });
    expect(status).toBe(2);
    expect(output).toMatch(/NOT RUN {2}own\.interrupted[\s\S]+Interrupted[\s\S]+Nothing is left behind/);
    expect(output).not.toContain('own.passing');
    expect(seen[0]).toHaveLength(before.length + 2);
    expect(await names()).toEqual(before);
  });

  it('OPS-6 remains of a lost answer or an error are found by name and deleted; remains of earlier runs, by --clean', async () => {
    const before = await names();
    const lost = check('own.lost', async ({ temporaries, deployment, operator }) => {
      const body = { name: temporaries.name(), permissions: [] };
      await deployment.call({ method: 'POST', path: '/admin/roles', body, token: operator.token });
      throw new Error('the answer got lost');
    });
    expect((await run(here(), { checks: [lost] })).status).toBe(2);
    expect(await names()).toEqual(before);

    const admin = await root(server.app);
    await admin.call('POST', '/admin/roles', { name: 'acceptance-0123456789ab-cafe', permissions: [] });
    const real = await admin.call('POST', '/admin/roles', { name: 'acceptance-team', permissions: [] });
    expect(await run([...here(), '--clean'])).toMatchObject({ status: 0, output: expect.stringMatching(/^1 things/) });
    expect(await names()).toEqual([...before, 'acceptance-team'].sort());
    await admin.call('DELETE', `/admin/roles/${real.json().data.id}`);
  });

  it('OPS-6 a permission that the token lacks is named, and the check does not run', async () => {
    const clerk = await actor(server.app, await root(server.app), ['api:admin:roles:list']);
    const checks = acceptanceChecks.filter(({ id }) => id === 'tokens.roles');
    const token = clerk.headers.authorization.slice('Bearer '.length);
    const { status, output } = await run(here(), { checks, token });
    expect(status).toBe(2);
    expect(output).toMatch(/NOT RUN {2}tokens\.roles[\s\S]+because: .*may not upload files/);
  });

  it('OPS-6 CAP-1 a picture that nobody reads is reported, and the server is not changed', async () => {
    const changedBy = 'test';
    const [key, kinds] = ['admin.auth.captcha.enabled', 'auth.captcha.kinds.login'];
    const { version } = await server.app.systemParameters.change({ key, value: true, version: 0, changedBy });
    const images = await server.app.systemParameters.change({ key: kinds, value: 'image', version: 0, changedBy });
    const checks = acceptanceChecks.filter(({ id }) => id === 'privileges.routes');
    expect(await run(here(), { checks })).toMatchObject({
      status: 2,
      output: expect.stringMatching(/NOT RUN {2}privileges\.routes[\s\S]+because: sign-in needs a captcha here/),
    });
    expect(await run([...here(), '--captcha-command', 'basename'], { checks })).toMatchObject({
      status: 2,
      output: expect.stringContaining('could not sign in a temporary administrator: 400 CAPTCHA_INVALID'),
    });
    await server.app.systemParameters.change({ key, value: false, version, changedBy });
    const both = 'image,proof-of-work';
    await server.app.systemParameters.change({ key: kinds, value: both, version: images.version, changedBy });
  });

  it('OPS-6 in mode OFF the envelope checks are reported as not applicable', async () => {
    const checks = acceptanceChecks.filter(({ id }) => id.startsWith('envelopes.'));
    const { output } = await run(here(), { checks });
    expect(output).toContain(`0 passed, 0 with holes, 0 not run, ${checks.length} do not apply`);
  });

  it('OPS-6 acceptance/admin-routes.ts has every route with a permission', async () => {
    const config = bench.config();
    const app = createApp(config);
    const routes: string[] = [];
    app.addHook('onRoute', ({ method, url, config: { permission } = {} }) => {
      if (method === 'HEAD' || permission === undefined) return;
      routes.push(`${method} ${url} ${[permission].flat().join(' and ')}`);
    });
    await composeApp(app, config, bench.resources(config));
    await app.ready();
    await app.close();
    // A new route with a permission must be added to acceptance/admin-routes.ts, or it is never attacked.
    expect(adminRoutes.map(({ method, route, permission }) => `${method} ${route} ${permission}`).sort()).toEqual(
      routes.sort(),
    );
  });

  it('OPS-6 lines of input are read one by one, also if they arrive at once', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const lines = createLineInput(input, output, () => {});
    input.end('one\ntwo\n');
    expect([await lines.ask('1? '), await lines.ask('2? ', true), await lines.ask('3? ')]).toEqual([
      'one',
      'two',
      null,
    ]);
    lines.close();
    output.end();
    expect(await text(output)).toBe('1? 2? \n3? ');
  });
});
