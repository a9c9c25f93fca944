import { execFile } from 'node:child_process';
import { scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scrypt } from '@noble/hashes/scrypt.js';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const run = promisify(execFile);

const R = 8;
const ROUNDS = 5;
const EVALUATIONS = 20;
const salt = Buffer.from(`login:${'A'.repeat(22)}`);

/** The best of some rounds, in milliseconds of processor time for one evaluation: other programs disturb the rest. */
function best(evaluate) {
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    const begun = process.cpuUsage();
    for (let i = 0; i < EVALUATIONS; i++) evaluate(Buffer.from(`${round}.${i}`));
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1000 / EVALUATIONS;
  });
  return Math.min(...times);
}

/** The server's own check, and OpenSSL as an attacker has it. @param {number} n */
export const ofOpenssl = (n) =>
  best((password) => scryptSync(password, salt, 4, { N: n, r: R, p: 1, maxmem: 2 ** 30 }));

/** `solve` in Node.js. @param {number} n */
export const ofNode = (n) => best((password) => scrypt(password, salt, { N: n, r: R, p: 1, dkLen: 4 }));

/** Eight lanes in AVX2. Null without a compiler or such registers. @param {number} n */
export async function ofLanes(n) {
  const folder = await mkdtemp(join(tmpdir(), 'captcha-bench-'));
  const source = fileURLToPath(new URL('lanes.c', import.meta.url));
  try {
    await run('cc', ['-O3', '-march=native', source, '-o', join(folder, 'lanes')]);
    return Number((await run(join(folder, 'lanes'), [String(n)])).stdout);
  } catch (error) {
    process.stderr.write(`no attacker in C: ${error.message}\n`);
    return null;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const IN_WORKER = `
import { scrypt } from '@noble/hashes/scrypt.js';
onmessage = ({ data: { n, salt } }) => {
  const times = Array.from({ length: ${ROUNDS} }, (_, round) => {
    const begun = performance.now();
    for (let i = 0; i < ${EVALUATIONS}; i++) {
      scrypt(new TextEncoder().encode(round + '.' + i), salt, { N: n, r: ${R}, p: 1, dkLen: 4 });
    }
    return (performance.now() - begun) / ${EVALUATIONS};
  });
  postMessage(Math.min(...times));
};`;

/** A worker of a page. Null without Chromium. @param {number} n */
export async function ofChromium(n) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const executablePath = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (executablePath === undefined) return null;
  const resolveDir = fileURLToPath(new URL('.', import.meta.url));
  const bundle = await build({ stdin: { contents: IN_WORKER, resolveDir }, bundle: true, minify: true, write: false });
  const server = createServer((request, response) => {
    const isWorker = request.url === '/worker.js';
    response.writeHead(200, { 'content-type': isWorker ? 'text/javascript' : 'text/html' });
    response.end(isWorker ? bundle.outputFiles[0].text : '<!doctype html>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const ask = ({ cost, text }) =>
      new Promise((resolve) => {
        const worker = new Worker('/worker.js');
        worker.onmessage = ({ data }) => resolve(data);
        worker.postMessage({ n: cost, salt: new TextEncoder().encode(text) });
      });
    return await page.evaluate(ask, { cost: n, text: salt.toString() });
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}
