/**
 * Sends the requests of a package in `readme-requests.mjs`, one after the other, and compares the answers.
 * @param {readonly object[]} requests
 * @param {string} base
 * @returns {Promise<string[]>} what is wrong
 */
export async function requestFaults(requests, base) {
  const faults = [];
  let token = null;
  for (const { path, expected, contains, signIn, ...given } of requests) {
    const init = token === null ? given : { ...given, headers: { ...given.headers, authorization: `Bearer ${token}` } };
    const response = await fetch(base + path, init);
    const text = await response.text();
    if (response.status !== expected || (contains && !text.includes(contains))) {
      faults.push(`${init.method ?? 'GET'} ${path} answered ${response.status} ${text}`);
    }
    if (signIn) token = JSON.parse(text).token;
  }
  return faults;
}
