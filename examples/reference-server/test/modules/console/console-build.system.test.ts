import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config/config.js';
import { consoleRoutes } from '../../../src/modules/console/routes.js';

const COMMAND = fileURLToPath(new URL('../../../../admin-console/build.mjs', import.meta.url));
const START = fileURLToPath(new URL('../../../../../scripts/start.mjs', import.meta.url));

describe('the build command of the console', { timeout: 300_000 }, () => {
  let root: string;
  let app: App;
  const folder = () => join(root, 'dist');
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'sallyport-console-build-'));
    const config = readConfig({ SERVICE_PROFILE: 'development', SERVICE_LOG_LEVEL: 'silent' });
    app = createApp(config);
    await app.register(consoleRoutes, { config, consoleFolder: folder() });
    // Not in the first request: on a busy machine the build would end meanwhile.
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
    await rm(root, { recursive: true });
  });

  async function outputOf(child: ChildProcess): Promise<string> {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    const [status] = await once(child, 'close');
    expect(status, output).toBe(0);
    return output;
  }
  const startBuild = () => spawn(process.execPath, [COMMAND, '--to', folder()]);

  /** Returns the page, and checks that each of its files is served. */
  async function load(): Promise<string> {
    const page = await app.inject('/console/');
    expect(page.statusCode).toBe(200);
    const urls = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(urls.filter((url) => url.endsWith('.js'))).not.toEqual([]);
    for (const url of urls) {
      expect(url).toMatch(/^\/console\//);
      const { statusCode, headers } = await app.inject({ url, headers: { 'accept-encoding': 'br' } });
      expect([url, statusCode]).toEqual([url, 200]);
      if (url.endsWith('.js')) expect(headers['content-encoding']).toBe('br');
    }
    return page.body;
  }

  it('CON-1 builds once, however many start at the same time, and the server shows what happens', async () => {
    const [first, second] = [startBuild(), startBuild()];
    const outputs = Promise.all([outputOf(first), outputOf(second)]);
    while (!existsSync(join(root, '.build/lock'))) await new Promise(setImmediate);
    const early = await app.inject('/console/');
    expect([early.statusCode, early.body]).toEqual([503, expect.stringContaining('is being built')]);
    expect((await outputs).sort()).toEqual([
      expect.stringMatching(/^Building the console …\nBuilt the console in [\d.]+ s\.\n$/),
      'The console is up to date.\n',
    ]);

    const body = await load();
    expect(body).toMatch(/<meta property="csp-nonce" nonce="[^"_]+">/);
    // The policy of the page refuses inline scripts and styles, and other hosts.
    expect(body).not.toMatch(/<script(?![^>]* src=)|<style(?![^>]* nonce=)| style=| on\w+=|https?:\/\//);
    expect((await app.inject('/console/.vite/manifest.json')).headers['content-type']).toContain('text/html');
  });

  it('CON-1 builds nothing if nothing has changed, and again if something has, while the old console is served', async () => {
    const page = join(folder(), 'index.html');
    const { mtimeMs } = await stat(page);
    expect(await outputOf(startBuild())).toBe('The console is up to date.\n');
    expect((await stat(page)).mtimeMs).toBe(mtimeMs);

    const digest = await readFile(join(folder(), '.inputs'), 'utf8');
    await writeFile(join(folder(), '.inputs'), 'of other inputs');
    const rebuild = startBuild();
    const output = outputOf(rebuild);
    while (rebuild.exitCode === null) await load();
    expect(await output).toContain('Built the console');
    expect(await readFile(join(folder(), '.inputs'), 'utf8')).toBe(digest);
    await load();
  });

  it('CON-1 the start command builds it beside the start and names it first, unless it is switched off', async () => {
    const start = (environment: Readonly<Record<string, string>>) =>
      spawn(process.execPath, [START], {
        env: { ...process.env, SERVICE_PORT: '0', SERVICE_DATA_DIR: join(root, 'data'), ...environment },
      });

    function untilBanner(child: ChildProcess): Promise<string> {
      let output = '';
      return new Promise((resolve, reject) => {
        child.stdout?.on('data', (chunk) => {
          output += String(chunk);
          if (output.includes('Sign in:')) resolve(output);
        });
        child.once('close', () => reject(new Error(`no banner: ${output}`)));
      });
    }

    const on = start({});
    try {
      const [, address] = /^Sallyport .*\n +console +(http\S+)$/m.exec(await untilBanner(on)) ?? [];
      let answer = await fetch(address!);
      while (answer.status === 503) answer = await fetch(address!);
      expect(await answer.text()).toContain('<div id="root">');
    } finally {
      on.kill();
      await once(on, 'exit');
    }
    const off = start({ SERVICE_CONSOLE_ENABLED: 'false' });
    try {
      expect(await untilBanner(off)).not.toMatch(/\bthe console|^ +console /im);
    } finally {
      off.kill();
      await once(off, 'exit');
    }
  });
});
