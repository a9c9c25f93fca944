// Runs applications one after the other, as each would run in a process of its own. What one leaves behind is closed:
// its servers and its Fastify instances. Each is a new copy of its files, so that it shares modules of packages alone.
// After each, a mark on both outputs says how it went; what ends a process ends this one.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { servers } from './tell-address.mjs';

/** How long an instance may take to close, in milliseconds. One that never started may never close. */
const MAX_CLOSE_MILLIS = 500;

process.setMaxListeners(0);
const instances = new Set();
subscribe('fastify.initialization', ({ fastify }) => instances.add(fastify));

async function end(code) {
  for (const server of servers) {
    server.close();
    server.closeAllConnections?.();
  }
  const closed = [...instances].map(async (instance) => instance.close());
  await Promise.race([Promise.allSettled(closed), sleep(MAX_CLOSE_MILLIS, null, { ref: false })]);
  servers.clear();
  instances.clear();
  for (const output of [1, 2]) writeSync(output, `\0end ${code}\n`);
}

process.on('message', async (/** @type {string[] | null} */ command) => {
  if (command === null) return end(0);
  const [file, ...given] = command;
  process.argv = [process.execPath, resolve(file), ...given];
  try {
    await import(pathToFileURL(process.argv[1]).href);
  } catch (error) {
    writeSync(2, `${inspect(error)}\n`);
    await end(1);
  }
});
