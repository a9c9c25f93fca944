import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { developmentBanner, startFacts } from '../../src/commands/start-banner.js';
import { settingRows } from '../../src/config/config.js';
import { openTestBench, signIn, type TestBench } from '../support/test-app.js';

describe('README and start banner', () => {
  let bench: TestBench;
  let readme: string;
  beforeAll(async () => {
    bench = await openTestBench('embedded');
    readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  });
  afterAll(() => bench.close());

  const rows = (heading: string) => {
    const section = readme.slice(readme.indexOf(`## ${heading}\n`));
    const lines = section.slice(0, section.indexOf('\n## ', 1)).split('\n');
    // The formatter aligns the cells.
    return lines.filter((line) => line.startsWith('| `')).map((line) => line.replace(/ +/g, ' '));
  };

  it("OPS-10 the README's table of variables matches the code", () => {
    const cell = (text: string) => text.replaceAll('|', '\\|');
    const expected = settingRows.map((row) =>
      ['', `\`${row.variable}\``, cell(row.type), cell(row.default), cell(row.meaning), ''].join(' | ').trim(),
    );
    expect(rows('Variables')).toEqual(expected);
  });

  it("OPS-10 the README's table of endpoints names every route", async () => {
    const config = bench.config();
    const app: App = createApp(config);
    const routes: string[] = [];
    app.addHook('onRoute', ({ method, url }) => {
      if (method !== 'HEAD') routes.push(`\`${method} ${url}\``);
    });
    await bench.compose(app, config);
    await app.ready();
    await app.close();
    const named = rows('Endpoints').map((line) => line.split(' | ')[0]?.replace('| ', ''));
    expect(named.sort()).toEqual(routes.sort());
  });

  it('USR-4 OPS-10 the banner shows address, mode, data folder, account and a command that works', async () => {
    const app = await bench.app();
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const banner = developmentBanner(bench.config(), app.envelopeCrypto.backend, address);
    for (const part of [address, `${address}/api-docs`, 'development', 'OFF', bench.folder, 'admin', 'sallyport-dev'])
      expect(banner).toContain(part);
    const [, url, body] = /curl -s (\S+) -H 'content-type: application\/json' -d '(.+)'/.exec(banner) ?? [];
    const response = await fetch(url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body ?? '',
    });
    expect(await response.json()).toMatchObject({ data: { username: 'admin' } });
    expect((await signIn(app)).statusCode).toBe(200);
  });

  it('USR-4 in production the start shows no account, store address or password', () => {
    const production = {
      SERVICE_PROFILE: 'production',
      SERVICE_AUTH_PASSWORD_BCRYPT_COST: '12',
      SERVICE_AUTH_TOKEN_KEY: 'x',
      SERVICE_DATABASE_URL: 'postgres://user:hunter2@db/app',
      SERVICE_REDIS_URL: 'redis://:hunter2@cache',
      SERVICE_AUDIT_CHECKPOINT_FILE: '/mnt/checkpoints',
    };
    const facts = startFacts(bench.config(production), null);
    expect(facts).toEqual({ profile: 'production', encryption: 'OFF', database: 'PostgreSQL', sessions: 'in Redis' });
  });
});
