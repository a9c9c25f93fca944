import { constants, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The keys of the envelopes from a file that is replaced while the server runs (requirement ENV-12). Copy it next to
 * the server, and name it in SERVICE_API_ENCRYPTION_KEY_PROVIDER_MODULE. SALLYPORT_KEY_FILE names the file:
 *
 *   { "keyId": "2026-12", "privateKey": "<64 hex characters>",
 *     "previousKeys": [{ "keyId": "2026-11", "privateKey": "<64 hex characters>" }] }
 *
 * Write another file next to it and rename that one: a reader then sees the old keys or the new ones, and nothing else.
 *
 * The file has mode 0600 or 0400, or also the group's read bit if it belongs to root or to this user, and its group is
 * one of this process: so Kubernetes mounts a secret with `defaultMode: 0440` and `fsGroup`.
 */
const file = () => process.env.SALLYPORT_KEY_FILE ?? '/etc/sallyport/envelope-keys.json';

/**
 * @param {{ readonly mode: number, readonly uid: number, readonly gid: number }} stats
 * @returns {string | null} why others may read or replace the keys; null if they may not
 */
export function openTo({ mode, uid, gid }) {
  if (process.platform === 'win32') return null;
  if ((mode & 0o007) !== 0) return 'is open to all users: chmod 600, or 640 for root and the group of the server';
  if ((mode & 0o030) !== 0) return 'is writable or executable for its group: chmod 640';
  const isOwners = uid === 0 || uid === process.getuid();
  if (!isOwners) return 'belongs to a user who is neither root nor that of the server';
  if ((mode & 0o040) === 0) return null;
  const isOwnGroup = gid === process.getegid() || process.getgroups().includes(gid);
  return isOwnGroup ? null : 'is readable for a group that is not one of the server: chmod 600, or chgrp';
}

/** @type {import('@sallyport/envelope-crypto').KeySource} */
export default {
  refreshSeconds: 30,

  async load({ signal }) {
    const path = file();
    // Judged and read through one handle: the file can be replaced in between. A pipe without a writer would hold a
    // thread of Node for ever, and the end of the server with it.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      const fault = stats.isFile() ? openTo(stats) : 'is not a file';
      if (fault !== null) throw new Error(`${path} ${fault}`);
      return JSON.parse(await handle.readFile({ encoding: 'utf8', signal }));
    } finally {
      await handle.close();
    }
  },

  subscribe(refresh) {
    // The folder: a file that is replaced is another file, and a mounted secret is replaced by a link next to it.
    const watcher = watch(dirname(file()), { persistent: false }, refresh);
    // What a watcher misses, the interval finds.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  },
};
