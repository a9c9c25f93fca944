import { createHash } from 'node:crypto';
import type { Cluster, Redis } from 'ioredis';
import { isCluster } from './redis-connection.js';

export type RunScript = (key: string, ...args: readonly string[]) => Promise<unknown>;

export type RunOnKeys = (keys: readonly string[], args: readonly string[]) => Promise<unknown>;

export function define(client: Redis | Cluster, verb: string, lua: string, numberOfKeys = 1): RunScript {
  if (isCluster(client)) return defineOnCluster(client, verb, { numberOfKeys, lua });
  const run = runOnServer(client, lua);
  return (key, ...args) => run(numberOfKeys, key, ...args);
}

/** For any number of keys. */
export function defineOnKeys(client: Redis | Cluster, lua: string): RunOnKeys {
  const run = runOnServer(client as Redis, lua);
  return (keys, args) => run(keys.length, ...keys, ...args);
}

/**
 * Without a command that is defined on the client: for every packet, ioredis copies all of them, 1.5 µs each. The first
 * call sends the script in full. A server that has lost it runs nothing, see {@link isScriptLost}: the next call sends
 * it again.
 */
function runOnServer(client: Redis, lua: string) {
  const digest = createHash('sha1').update(lua).digest('hex');
  let isSent = false;
  return async (numberOfKeys: number, ...args: readonly string[]): Promise<unknown> => {
    try {
      const reply = await (isSent
        ? client.evalsha(digest, numberOfKeys, ...args)
        : client.eval(lua, numberOfKeys, ...args));
      isSent = true;
      return reply;
    } catch (error) {
      if (isScriptLost(error)) isSent = false;
      throw error;
    }
  };
}

/** Whether a call has run nothing, because the server has lost the script. */
export function isScriptLost(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/**
 * ioredis adds defined commands as methods to the client, for all its users. The name contains a digest of the script,
 * so that any number of stores and versions of this package can share a client. `evalsha` would not do: ioredis 5 would
 * take the digest for its key, and would send calls for other masters together with it (`enableAutoPipelining`).
 */
function defineOnCluster(client: Cluster, verb: string, script: { numberOfKeys: number; lua: string }): RunScript {
  const name = `${verb}_${createHash('sha256').update(script.lua).digest('hex').slice(0, 16)}`;
  if (!(name in client)) client.defineCommand(name, script);
  const commands = client as unknown as Record<string, RunScript>;
  return (...args) => (commands[name] as RunScript).call(client, ...args);
}
