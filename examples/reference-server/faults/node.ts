import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverEntry } from '../../../scripts/build.mjs';
import { freePort } from '../../../scripts/free-port.mjs';
import type { KillPoint } from './server/kill-point.js';
import { type ServerProcess, startServer } from './server-process.js';
import { AUDIT_KEY } from './tables.js';

/** A point at which a node signals itself. */
export interface ArmedPoint {
  readonly point: KillPoint;
  /** The pass at which the signal is sent. Default 1. */
  readonly pass?: number;
  /** SIGSTOP pauses the process until `resume`. Default SIGKILL. */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}

/** The store of a fleet's idempotency records. */
export type StoreName = 'postgres' | 'redis' | 'redis-cluster' | 'postgres-ttl' | 'memory' | 'embedded';

export interface FleetOptions {
  /** Null: the embedded database of a single node. */
  readonly databaseUrl: string | null;
  /** Null: sessions and nonces are kept in the database. */
  readonly redisUrl: string | null;
  readonly store: StoreName;
  readonly leaseSeconds: number;
  readonly nodes: number;
  /** The kill point of the first node at its first start. Default: none. */
  readonly armed?: ArmedPoint;
  /** Whether to run the shipped server, without kill points; only with the store `postgres`. Default false. */
  readonly isShipped?: boolean;
  /** Another program that reads the same variables. Default: as `isShipped` says. */
  readonly program?: URL;
  /** Whether `redisUrl` names a node of a Redis Cluster. Default false. */
  readonly isCluster?: boolean;
  /** Environment variables of all nodes, in addition to the harness's own. */
  readonly environment?: Environment;
  /** Additional environment variables of one node, by index. */
  readonly environmentOf?: (index: number) => Environment;
}

type Environment = Readonly<Record<string, string>>;

/** A node of the fleet. Its port is fixed; its process may be replaced. */
export interface Node {
  readonly origin: string;
  readonly port: number;
  /** The id of the current process. */
  pid(): number;
  /** Starts a process, and resolves when it accepts requests. */
  start(armed?: ArmedPoint): Promise<void>;
  kill(): Promise<void>;
  /** Sends SIGTERM, and resolves to the time until exit, in milliseconds. */
  stop(): Promise<number>;
  isRunning(): boolean;
  /** Resolves when the process has exited. */
  ended(): Promise<void>;
  /** Resolves when the process next pauses at its kill point. */
  paused(): Promise<void>;
  /** Resumes a paused process. */
  resume(): void;
  /** Resets the pass count of the kill point. */
  rearm(): void;
  /** Sends SIGWINCH, and resolves to the report of a module loaded into the process. */
  report(): Promise<string>;
}

/** Server processes that share their stores. */
export interface Fleet {
  readonly nodes: readonly Node[];
  readonly leaseMillis: number;
  /** The prefix of all its Redis keys. */
  readonly keyPrefix: string;
  /** Signs in the development account, and resolves to a new token. */
  signIn(): Promise<string>;
  close(): Promise<void>;
}

/** The built server, composed with kill points. */
const entry = new URL('dist/server-with-kill-points.js', import.meta.url);

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { nodes: size, leaseSeconds, armed } = options;
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-faults-'));
  const keyPrefix = `faults-${randomBytes(6).toString('hex')}:`;
  const environment = fleetEnvironment(options, folder, keyPrefix);
  const program = options.program ?? (options.isShipped ? serverEntry : entry);
  const places = await Promise.all(
    Array.from({ length: size }, (_, index) =>
      createNode({ ...environment, ...options.environmentOf?.(index) }, program),
    ),
  );
  // The first node creates what all nodes share: the tables, the token key and the account.
  const [first, ...others] = places;
  await first!.node.start(armed);
  await Promise.all(others.map(({ node }) => node.start()));
  return {
    nodes: places.map(({ node }) => node),
    leaseMillis: leaseSeconds * 1000,
    keyPrefix,
    async signIn() {
      const { status, body } = await first!.process().signIn();
      if (status !== 200) throw new Error(`sign-in was refused: ${status} ${body.code}`);
      return String(body.data?.token);
    },
    async close() {
      await Promise.all(places.map(({ node }) => node.kill()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly node: Node;
  process(): ServerProcess;
}

async function createNode(environment: Environment, program: URL): Promise<Place> {
  const port = await freePort();
  let running: ServerProcess | null = null;
  function process(): ServerProcess {
    if (running === null) throw new Error('the node was not started');
    return running;
  }
  const node: Node = {
    origin: `http://127.0.0.1:${port}`,
    port,
    pid: () => process().pid,
    async start(armed) {
      const options = { entry: program, port, mayKillItself: armed !== undefined };
      running = await startServer({ ...environment, ...armedEnvironment(armed) }, options);
    },
    async kill() {
      await running?.kill();
    },
    async stop() {
      const asked = performance.now();
      process().signal('SIGTERM');
      await process().ended;
      return performance.now() - asked;
    },
    isRunning: () => running?.isRunning() ?? false,
    ended: () => process().ended,
    async paused() {
      await Promise.race([process().announced(), endedInstead(process())]);
    },
    resume: () => process().signal('SIGCONT'),
    rearm: () => process().signal('SIGUSR2'),
    report() {
      const said = process().announced();
      process().signal('SIGWINCH');
      return Promise.race([said, endedInstead(process())]);
    },
  };
  return { node, process };
}

async function endedInstead({ ended }: ServerProcess): Promise<never> {
  await ended;
  throw new Error('the node ended, and was to stand still or to report');
}

function armedEnvironment(armed: ArmedPoint | undefined): Environment {
  if (armed === undefined) return {};
  return {
    FAULT_POINT: armed.point,
    FAULT_PASS: String(armed.pass ?? 1),
    FAULT_SIGNAL: armed.signal ?? 'SIGKILL',
  };
}

/** All fleets on one database have the same. */
const FACTOR_KEY = `faults:${randomBytes(32).toString('base64')}`;

function fleetEnvironment(options: FleetOptions, folder: string, keyPrefix: string): Environment {
  return {
    FAULT_IDEMPOTENCY_STORE: options.store,
    SERVICE_DATA_DIR: folder,
    SERVICE_AUDIT_CHAIN_KEY: AUDIT_KEY,
    SERVICE_AUTH_SECOND_FACTOR_KEY: FACTOR_KEY,
    SERVICE_NODES: String(options.nodes),
    ...(options.databaseUrl !== null && { SERVICE_DATABASE_URL: options.databaseUrl }),
    SERVICE_IDEMPOTENCY_LEASE_SECONDS: String(options.leaseSeconds),
    SERVICE_API_ENCRYPTION_MODE: 'OPTIONAL',
    SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
    // Rate limits are not under test.
    SERVICE_RATE_LIMIT_MAX_REQUESTS: '1000000',
    SERVICE_FLOOD_GATE_MAX_REQUESTS: '10000000',
    ...(options.redisUrl !== null && {
      SERVICE_REDIS_URL: options.redisUrl,
      SERVICE_REDIS_CLUSTER: String(options.isCluster ?? false),
      SERVICE_REDIS_KEY_PREFIX: keyPrefix,
    }),
    ...options.environment,
  };
}
