import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Sends the requests of a package in `readme-requests.mjs`, one after the other, and compares the answers.
 * @param {readonly object[]} requests
 * @param {string} base
 * @param {string} project whose installed envelope client seals
 * @returns {Promise<string[]>} what is wrong
 */
export async function requestFaults(requests, base, project) {
  const faults = [];
  let token = null;
  for (const { path, expected, contains, sealed, signIn, ...given } of requests) {
    const init = token === null ? given : { ...given, headers: { ...given.headers, authorization: `Bearer ${token}` } };
    const response = await (sealed ? (await sealingClient(project, base)).fetch(path, init) : fetch(base + path, init));
    const text = await response.text();
    if (response.status !== expected || (contains && !text.includes(contains))) {
      faults.push(`${init.method ?? 'GET'} ${path} answered ${response.status} ${text}`);
    }
    if (signIn) token = JSON.parse(text).token;
  }
  return faults;
}

/** The envelope client from the installed tarball. */
async function sealingClient(project, baseUrl) {
  const manifest = createRequire(join(project, 'package.json')).resolve('@sallyport/envelope-crypto/package.json');
  const { createEnvelopeClient } = await import(pathToFileURL(join(dirname(manifest), 'dist/client/index.js')).href);
  return createEnvelopeClient({ baseUrl });
}
