import { createMemoryStore, StoreUnavailableError, type TtlStore } from '@sallyport/ttl-store';
import type { InjectOptions } from 'fastify';
import type { replayGuard } from '../src/index.js';
import { createProtectedApp, type ProtectedApp } from './protected-app.js';
import { sealPost } from './sealed-request.js';
import type { TraceStep } from './spin.js';

/** The constants of the model, of one deployment. */
interface Deployment {
  readonly servers: number;
  readonly unitMillis: number;
  readonly clockSkewSeconds: number;
}

const SHARED: Deployment = { servers: 2, unitMillis: 60_000, clockSkewSeconds: 240 };
const PROCESS: Deployment = { servers: 1, unitMillis: 1000, clockSkewSeconds: 60 };

/** WINDOW, REPLAY_TTL and STAMP of the model, in units of its time. */
const WINDOW = 5;
const STAMP = 9;
const START = 1_763_700_000_000;

/** A call of the store that waits until a step of the trace lets it take effect. */
type PausedCall = (isAnswered: boolean) => void;

interface Server {
  app: ProtectedApp;
  offset: number;
  call: PausedCall | null;
  /** Ends the wait for the time of the stamp. */
  wake: (() => void) | null;
  isBusy: boolean;
}

/** Lets every callback run that the last step has caused: an opened envelope passes through several turns. */
const settle = async (isSettled: () => boolean) => {
  const giveUpAt = performance.now() + 10_000;
  while (!isSettled() && performance.now() < giveUpAt) await new Promise(setImmediate);
};

export interface NonceWorldOptions {
  readonly isProcess: boolean;
  /** A copy with a seeded fault. Default: the real one. */
  readonly plugin?: typeof replayGuard;
  /** Overrides the deployment's `clockSkewSeconds`. */
  readonly clockSkewSeconds?: number;
}

/** Whole servers with clocks, a store and pauses in the test's hand, for one recorded request. */
export class NonceWorld {
  readonly #deployment: Deployment;
  readonly #options: NonceWorldOptions;
  readonly #servers: Server[] = [];
  #now = 0;
  #storeOffset = 0;
  #store: TtlStore;
  #request: InjectOptions | null = null;
  #recordKey = '';
  #accepted = 0;

  private constructor(options: NonceWorldOptions) {
    this.#deployment = options.isProcess ? PROCESS : SHARED;
    this.#options = options;
    this.#store = this.#openStore();
  }

  static async open(options: NonceWorldOptions): Promise<NonceWorld> {
    const world = new NonceWorld(options);
    for (let index = 0; index < world.#deployment.servers; index += 1) {
      const server = { offset: 0, call: null, wake: null, isBusy: false } as Partial<Server> as Server;
      world.#servers.push(server);
      server.app = await world.#start(server);
    }
    const { recipient } = (world.#servers[0] as Server).app;
    world.#request = sealPost(recipient, '/payments', '{}', { timestamp: world.#millis(STAMP) });
    const { kid, nonce } = JSON.parse(String(world.#request.payload)) as { kid: string; nonce: string };
    world.#recordKey = `replay:${kid}:${nonce}`;
    return world;
  }

  #millis(units: number): number {
    return START + units * this.#deployment.unitMillis;
  }

  #openStore(): TtlStore {
    const offset = () => (this.#options.isProcess ? (this.#servers[0]?.offset ?? 0) : this.#storeOffset);
    const { marks: _marks, ...memory } = createMemoryStore({ now: () => this.#millis(this.#now + offset()) });
    return this.#options.isProcess ? memory : { ...memory, lifetime: 'shared' };
  }

  async #start(server: Server): Promise<ProtectedApp> {
    const { plugin, clockSkewSeconds = this.#deployment.clockSkewSeconds } = this.#options;
    const store = this.#store;
    const paused =
      <Args extends unknown[], Result>(verb: (...args: Args) => Promise<Result>) =>
      (...args: Args) =>
        new Promise<Result>((resolve, reject) => {
          server.call = (isAnswered) => {
            server.call = null;
            const result = verb(...args);
            if (isAnswered) result.then(resolve, reject);
            else result.finally(() => reject(new StoreUnavailableError())).catch(() => {});
          };
        });
    return createProtectedApp(
      {
        // `get` and `set` are for the copy whose claim is a read and a write.
        store: {
          ...store,
          setIfAbsent: paused(store.setIfAbsent),
          get: paused(store.get),
          set: paused(store.set),
        } as TtlStore,
        allowUnmarkedStore: true,
        replayTtlSeconds: (WINDOW * this.#deployment.unitMillis) / 1000,
        clockSkewSeconds,
        now: () => this.#millis(this.#now + server.offset),
        wait: () =>
          new Promise((resolve) => {
            server.wake = () => {
              server.wake = null;
              resolve();
            };
          }),
      },
      {
        timestampWindowSeconds: (WINDOW * this.#deployment.unitMillis) / 1000,
        ...(plugin === undefined ? {} : { plugin }),
      },
    );
  }

  /** Does the step, if the servers are in a state in which it can be done, and returns the state after it. */
  async take({ name, args }: TraceStep): Promise<Record<string, number>> {
    const [index = 0, value = 0] = args;
    const server = (this.#servers[index] ?? this.#servers[0]) as Server;
    switch (name) {
      case 'tick':
        this.#now += 1;
        break;
      case 'clock':
        server.offset = value;
        break;
      case 'store-clock':
        this.#storeOffset = index;
        break;
      case 'lose':
        await this.#store.delete(this.#recordKey);
        break;
      case 'restart':
        await this.#restart(server);
        break;
      case 'receive':
        await this.#receive(server);
        break;
      case 'claim':
      case 'read':
      case 'write':
        await this.#resume(server, true);
        break;
      case 'claim-unanswered':
        await this.#resume(server, false);
        break;
      case 'wake':
        server.wake?.();
        await settle(() => !server.isBusy);
        break;
      default:
        throw new Error(`The model has a step that the servers don't know: ${name}`);
    }
    // Looking drops an expired record, as the model does with every step of a clock.
    const isLive = (await this.#store.get(this.#recordKey)) !== null;
    const busy = this.#servers.filter(({ isBusy }) => isBusy).length;
    return { now: this.#now, live: Number(isLive), busy, accepted: this.#accepted };
  }

  /** The recorded request arrives, and is processed up to the call of the store or to its refusal. */
  async #receive(server: Server): Promise<void> {
    if (server.isBusy) return;
    server.isBusy = true;
    const { app } = server;
    const answer = app.app.inject(this.#request as InjectOptions);
    answer.then(({ statusCode }) => {
      // A process that has ended since then answers nobody.
      if (server.app !== app) return;
      server.isBusy = false;
      if (statusCode === 200) this.#accepted += 1;
    });
    await settle(() => server.call !== null || !server.isBusy);
  }

  async #resume(server: Server, isAnswered: boolean): Promise<void> {
    if (server.call === null) return;
    server.call(isAnswered);
    await settle(() => server.call !== null || server.wake !== null || !server.isBusy);
  }

  async #restart(server: Server): Promise<void> {
    this.#now += 1;
    this.#store = this.#openStore();
    Object.assign(server, { call: null, wake: null, isBusy: false });
    server.app = await this.#start(server);
  }
}
