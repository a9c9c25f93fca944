import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../../../../../scripts/test-browser.js';
import { lacks } from '../../../../../scripts/test-needs.js';
import { openTestBench, type TestBench } from '../../support/test-app.js';
import { type ConsoleFolder, createConsoleFolder } from './console-folder.js';

/** Tries what the policy allows, and what it refuses. */
const PAGE = `<!doctype html>
<style nonce="__CSP_NONCE__">#allowed { color: rgb(1, 2, 3) }</style>
<style>#refused { color: rgb(1, 2, 3) }</style>
<p id="allowed">a</p><p id="refused" style="margin: 77px">b</p>
<script>document.documentElement.dataset.inline = 'ran'</script>
<script nonce="__CSP_NONCE__">document.documentElement.dataset.inline = 'ran'</script>
<script type="module" src="/console/assets/page.js"></script>`;

const SCRIPT = `
let unmarked = 'taken';
try { document.createElement('p').innerHTML = '<b>b</b>'; } catch (error) { unmarked = error.name; }
trustedTypes.createPolicy('default', { createScriptURL: (address) => address });
const attempt = async (work) => { try { return await work(); } catch (error) { return error.name; } };
const fromWorker = () => new Promise((resolve) => {
  const worker = new Worker('/console/assets/worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => resolve('refused');
});
const colorOf = (id) => getComputedStyle(document.getElementById(id)).color;
globalThis.found = {
  unmarked,
  worker: await fromWorker(),
  evaluated: await attempt(() => (0, eval)('1 + 1')),
  elsewhere: await attempt(() => fetch('http://127.0.0.1:9/')),
  allowed: colorOf('allowed'),
  refused: colorOf('refused'),
  margin: getComputedStyle(document.getElementById('refused')).margin,
  inline: document.documentElement.dataset.inline ?? 'refused',
};
document.documentElement.dataset.found = 'all';`;

const WORKER = `
const attempt = async (work) => { try { return await work(); } catch (error) { return error.name; } };
postMessage({
  kernel: await attempt(async () => (await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).instance instanceof WebAssembly.Instance),
  service: await attempt(async () => (await fetch('/encryption/public-key')).status),
  evaluated: await attempt(() => (0, eval)('1 + 1')),
  elsewhere: await attempt(() => fetch('http://127.0.0.1:9/')),
});`;

describe.skipIf(lacks('chromium'))('the console in Chromium', { timeout: 90_000 }, () => {
  let bench: TestBench;
  let browser: Browser;
  let folder: ConsoleFolder;
  let page: Page;
  let origin: string;
  beforeAll(async () => {
    [bench, browser, folder] = await Promise.all([openTestBench(), openBrowser(), createConsoleFolder()]);
    const config = bench.config();
    const app = await bench.appOn(config, bench.resources(config), { consoleFolder: folder.folder });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await bench?.close();
    await folder?.remove();
  });

  it('CON-1 the page that says that the console is being built becomes the console, without a script', async () => {
    await folder.note('lock', String(process.pid));
    await page.goto(`${origin}/`);
    expect(page.url()).toBe(`${origin}/console/`);
    expect(await page.locator('p:lang(zh)').textContent()).toContain('控制台正在构建');
    await folder.build('first');
    await page.locator('script[src$="first.js"]').waitFor({ state: 'attached' });
  });

  it('CON-1 the policy allows scripts of the folder, workers, the kernel and marked styles, and nothing else', async () => {
    await writeFile(join(folder.folder, 'assets/page.js'), SCRIPT);
    await writeFile(join(folder.folder, 'assets/worker.js'), WORKER);
    await writeFile(join(folder.folder, 'index.html'), PAGE);
    await page.goto(`${origin}/console/`);
    // Waiting for a function would evaluate a text, which the policy refuses.
    await page.locator('html[data-found]').waitFor({ state: 'attached' });
    expect(await page.evaluate('globalThis.found')).toEqual({
      unmarked: 'TypeError',
      worker: { kernel: true, service: 200, evaluated: 'EvalError', elsewhere: 'TypeError' },
      evaluated: 'EvalError',
      elsewhere: 'TypeError',
      allowed: 'rgb(1, 2, 3)',
      refused: 'rgb(0, 0, 0)',
      margin: expect.not.stringContaining('77px'),
      inline: 'refused',
    });
  });
});
