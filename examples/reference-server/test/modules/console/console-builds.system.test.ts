import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clientIp } from '@sallyport/client-ip';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.js';
import { readConfig } from '../../../src/config/config.js';
import { consoleRoutes } from '../../../src/modules/console/routes.js';
import { floodGate } from '../../../src/protection/flood-gate.js';
import { type ConsoleFolder, createConsoleFolder, scriptOf } from './console-folder.js';

const COMMAND = 'node examples/admin-console/build.mjs';

describe('a console that is built while the server runs', () => {
  let folder: ConsoleFolder;
  let app: App;
  beforeEach(async () => {
    folder = await createConsoleFolder();
    const config = readConfig({ SERVICE_PROFILE: 'development', SERVICE_LOG_LEVEL: 'silent' });
    app = createApp(config);
    await app.register(clientIp);
    await app.register(floodGate, { maxRequests: 500, windowSeconds: 10 });
    await app.register(consoleRoutes, { config, consoleFolder: folder.folder });
  });
  afterEach(async () => {
    await app.close();
    await folder.remove();
  });

  const scriptIn = async () => /assets\/(\w+)\.js/.exec((await app.inject('/console/')).body)?.[1];

  it('CON-1 before the first build: a page in both languages that reloads itself and runs no script', async () => {
    await folder.note('lock', String(process.pid));
    const { statusCode, headers, body } = await app.inject('/console/sessions');
    expect([statusCode, headers['retry-after'], headers.refresh]).toEqual([503, '2', '2']);
    expect(body).toContain('The console is being built.');
    expect(body).toContain('控制台正在构建');
    expect(body).not.toMatch(/<script|\son\w+=/);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; base-uri/);
    expect((await app.inject('/console/assets/first.js')).statusCode).toBe(404);
    expect((await app.inject('/')).headers.location).toBe('/console/');
  });

  it('CON-1 the page says that the build failed, or that there was none, and names the command', async () => {
    const missing = await app.inject('/console/');
    expect([missing.statusCode, missing.body]).toEqual([503, expect.stringContaining('is not built')]);
    await folder.note('failure', 'Unexpected token');
    const failed = await app.inject('/console/');
    expect([failed.statusCode, failed.body]).toEqual([503, expect.stringContaining('could not be built')]);
    expect(failed.body).not.toContain('Unexpected token');
    for (const { body, headers } of [missing, failed]) {
      expect(body.split(COMMAND)).toHaveLength(3);
      expect(headers.refresh).toBe('10');
    }
  });

  it('CON-1 a build whose process has crashed is not under way', async () => {
    const child = spawn(process.execPath, ['--eval', '']);
    await once(child, 'exit');
    await folder.note('lock', String(child.pid));
    expect((await app.inject('/console/')).body).toContain('is not built');
  });

  it('CON-1 the first build is served without a restart', async () => {
    expect((await app.inject('/console/')).statusCode).toBe(503);
    await folder.build('first');
    expect(await scriptIn()).toBe('first');
    expect((await app.inject('/console/assets/first.js')).body).toBe(scriptOf('first'));
  });

  it('CON-1 a rebuild is served once it is in place, and open pages still load what they were built with', async () => {
    await folder.build('first');
    expect(await scriptIn()).toBe('first');
    await folder.note('lock', String(process.pid));
    expect(await scriptIn()).toBe('first');
    await folder.build('second');
    expect(await scriptIn()).toBe('second');
    for (const name of ['first', 'second']) {
      expect((await app.inject(`/console/assets/${name}.js`)).body).toBe(scriptOf(name));
    }
    await folder.build('third');
    expect(await scriptIn()).toBe('third');
    expect((await app.inject('/console/assets/second.js')).statusCode).toBe(200);
    expect((await app.inject('/console/assets/first.js')).statusCode).toBe(404);
  });

  it('CON-1 a file of a new build is found before its page was asked for', async () => {
    await folder.build('first');
    expect(await scriptIn()).toBe('first');
    await folder.build('second');
    expect((await app.inject('/console/assets/second.js')).body).toBe(scriptOf('second'));
  });

  it('CON-1 while builds follow each other, every page names a script that is there', async () => {
    await folder.build('b0');
    const load = async () => {
      const name = (await scriptIn())!;
      expect((await app.inject(`/console/assets/${name}.js`)).body).toBe(scriptOf(name));
    };
    await load();
    for (let build = 1; build <= 30; build += 1) {
      await Promise.all([folder.build(`b${build}`), load(), load()]);
    }
    expect(await scriptIn()).toBe('b30');
  });

  it('CON-1 a folder that was removed stays served', async () => {
    await folder.build('first');
    expect(await scriptIn()).toBe('first');
    await rm(join(folder.folder, 'index.html'));
    expect(await scriptIn()).toBe('first');
  });
});
