import { type AttemptOptions, LoginLockedError, type LoginSubject } from '@sallyport/login-policy';
import type { StoreMarks } from '@sallyport/ttl-store';
import { UPLOAD_POLICY_DEFAULTS, type UploadPolicy, uploadPolicy } from '@sallyport/upload-policy';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { App } from '../../src/app.js';
import type { Resources } from '../../src/storage/opened-resources.js';

/** Changes one route, before any plugin of the server sees it. */
export function route(method: string, url: string, change: (options: RouteOptions) => void) {
  return (app: App) => {
    app.addHook('onRoute', (options) => {
      if (options.method === method && options.url === url) change(options);
    });
  };
}

/** Replaces the value of a plugin's decorator, in this app and all of its scopes. */
function decorated<Value>(app: App, decorator: string, change: (value: Value) => Value): void {
  const original = app.decorate as (this: unknown, name: string, ...rest: unknown[]) => App;
  app.decorate = function decorate(this: unknown, name: string, value: unknown, ...rest: unknown[]) {
    return original.call(this, name, name === decorator ? change(value as Value) : value, ...rest);
  } as typeof app.decorate;
}

/** Takes every nonce for a new one. */
export function everFirst(marks: StoreMarks): StoreMarks {
  return { ...marks, setIfAbsent: async (...call) => ({ ...(await marks.setIfAbsent(...call)), outcome: 'written' }) };
}

export function stores(change: (stores: Resources['stores']) => Partial<Resources['stores']>) {
  return (resources: Resources): Resources => ({
    ...resources,
    stores: { ...resources.stores, ...change(resources.stores) },
  });
}

/** Longer than parallel guesses take, in milliseconds. */
const COUNTED_LATE_MILLIS = 30_000;

/**
 * Reads the count, verifies, and counts later, so that all parallel guesses get through (LGN-5).
 */
export function countLate(app: App): void {
  decorated<App['loginPolicy']>(app, 'loginPolicy', (policy) => {
    const failed: { readonly subject: LoginSubject; readonly at: number }[] = [];
    return {
      ...policy,
      async attempt(subject, verify, options) {
        while (failed[0] !== undefined && Date.now() - failed[0].at > COUNTED_LATE_MILLIS) {
          await policy.attempt(failed.shift()!.subject, async () => null).catch(() => null);
        }
        const { username, terminal, clientIp } = subject;
        const { lockedUntil } = await policy.explain({ username, terminal, clientIp });
        if (lockedUntil !== null) throw new LoginLockedError(60);
        const result = await verify();
        if (!result) failed.push({ subject: { username, terminal, clientIp }, at: Date.now() });
        return passed(result, options);
      },
    };
  });
}

/** The session of a sign-in is opened by `onPassed`. */
async function passed<Result>(result: Result, { onPassed }: AttemptOptions<Result> = {}): Promise<never> {
  if (result) await onPassed?.(result as never);
  return (result || null) as never;
}

/** Replaces the parameters of the upload policy. */
export function changeUploadPolicy(app: App, changes: Partial<UploadPolicy>): void {
  const register = app.register as (this: unknown, plugin: unknown, options?: { policy?: unknown }) => App;
  app.register = function registerChanged(this: unknown, plugin: unknown, options?: { policy?: unknown }) {
    const policy = async () => ({ ...UPLOAD_POLICY_DEFAULTS, ...changes });
    return register.call(this, plugin, plugin === uploadPolicy ? { ...options, policy } : options);
  } as unknown as typeof app.register;
}

/** Trusts the file name's extension (UPL-3). */
export function believeExtensions(app: App): void {
  changeUploadPolicy(app, { validationEnabled: false });
  decorated<App['uploadPolicy']>(app, 'uploadPolicy', (policy) => ({
    ...policy,
    receive: (request, destination) =>
      policy.receive(request, {
        write: (stream) => destination.write(stream),
        discard: () => destination.discard(),
        async commit(file) {
          const extension = file.fileName.split('.').at(-1) ?? '';
          const isListed = UPLOAD_POLICY_DEFAULTS.allowedExtensions.split(',').includes(extension);
          if (!isListed) throw Object.assign(new Error('refused'), { statusCode: 415, code: 'UPLOAD_TYPE_REFUSED' });
          return destination.commit({ ...file, extension });
        },
      }),
  }));
}

/** Lets any device token past the locks (LGN-12). */
export function believeDevices(app: App): void {
  decorated<App['loginPolicy']>(app, 'loginPolicy', (policy) => ({
    ...policy,
    async attempt(subject, verify, options) {
      if (subject.deviceToken === undefined) return policy.attempt(subject, verify, options);
      return passed(await verify(), options);
    },
  }));
}

/** Leaves the sessions that end for this reason as they are (TOK-6). */
export function keepSessions(reason: string) {
  return (app: App) => {
    decorated<App['authTokens']>(app, 'authTokens', (tokens) => ({
      ...tokens,
      revokeAll: async (owner, why, options) => (why === reason ? 0 : tokens.revokeAll(owner, why, options)),
    }));
  };
}

/** Changes a password for everybody who has a session (USR-2). */
export function askForNoPassword(app: App): void {
  decorated<App['loginPolicy']>(app, 'loginPolicy', (policy) => ({
    ...policy,
    async attempt(subject, verify, options) {
      const { request } = subject as { request?: FastifyRequest };
      if (request?.url !== '/admin/profile/password') return policy.attempt(subject, verify, options);
      await verify();
      return true as never;
    },
  }));
}

/** Takes any signature of a token that it has seen with the right one (TOK-2). */
export function believeSignatures(app: App): void {
  const seen = new Map<string, string>();
  app.addHook('onRequest', async ({ headers }) => {
    const [, signed, signature] = /^Bearer ([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
    if (signed === undefined || signature === undefined) return;
    if (!seen.has(signed)) seen.set(signed, signature);
    headers.authorization = `Bearer ${signed}.${seen.get(signed)}`;
  });
}

/** Answers a request before any plugin of the server. */
export function answerFirst(isMeant: (request: FastifyRequest) => boolean, status: number) {
  return (app: App) => {
    app.addHook('onRequest', async (request, reply) => {
      if (isMeant(request)) await reply.code(status).send();
    });
  };
}

/** Changes the headers of every answer. */
export function changeHeaders(change: (reply: FastifyReply) => void) {
  return (app: App) => {
    app.addHook('onSend', async (_request, reply) => {
      change(reply);
    });
  };
}

/** Adds the stack to every problem document (HTTP-2). */
export function tellStacks(app: App): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode < 400 || typeof payload !== 'string' || !payload.startsWith('{')) return payload;
    return JSON.stringify({ ...JSON.parse(payload), stack: new Error('refused').stack });
  });
}
