import { callFor } from '../api-client.js';
import { type Fleet, type FleetOptions, startFleet } from '../node.js';
import { type RoundRobinProxy, type RoundRobinProxyOptions, startRoundRobinProxy } from '../round-robin-proxy.js';
import { type Site, volatileStateOf } from './scenario.js';

const LEASE_SECONDS = 10;

/** Limits high enough for every scenario. */
const roomy = {
  SERVICE_RATE_LIMIT_LOGIN_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_APP_LOGIN_MAX_REQUESTS: '1000000',
  SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '1000000',
};

/** The shipped server on two nodes behind one proxy (OPS-9), or on one with the embedded database. */
export interface SharedFleet {
  readonly fleet: Fleet;
  readonly proxy: RoundRobinProxy;
  /** The origins of the nodes, not of the proxy. */
  readonly origins: readonly [string, ...string[]];
  /** A token of the development account, which has every permission. */
  readonly token: string;
  close(): Promise<void>;
}

export async function startSharedFleet(
  site: Site,
  { isBehindProxy = false, ...options }: Partial<FleetOptions> & RoundRobinProxyOptions = {},
): Promise<SharedFleet> {
  // One process owns the embedded database.
  const isEmbedded = site.store === 'embedded';
  const fleet = await startFleet({
    databaseUrl: isEmbedded ? null : site.databaseUrl,
    ...volatileStateOf(site),
    store: 'postgres',
    leaseSeconds: LEASE_SECONDS,
    nodes: isEmbedded ? 1 : 2,
    isShipped: true,
    ...options,
    environment: { ...roomy, ...options.environment },
  });
  try {
    const ports = fleet.nodes.map(({ port }) => port);
    const proxy = await startRoundRobinProxy(ports, { isBehindProxy });
    return {
      fleet,
      proxy,
      origins: fleet.nodes.map(({ origin }) => origin) as [string, ...string[]],
      token: await fleet.signIn(),
      async close() {
        await proxy.close();
        await fleet.close();
      },
    };
  } catch (error) {
    await fleet.close();
    throw error;
  }
}

/** Changes system parameters, and resolves when the given node applies them. Other nodes follow within two seconds. */
export async function setParameters(origin: string, token: string, values: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    const path = `/admin/system-parameters/${key}`;
    const { version } = await callFor(200, origin, path, { token });
    await callFor(200, origin, path, { method: 'PUT', token, body: { value, version } });
  }
}

/** Returns a form with a text file of the given size in bytes. */
export function textForm(bytes: number): FormData {
  const form = new FormData();
  form.append('file', new Blob(['x'.repeat(bytes)], { type: 'text/plain' }), 'text.txt');
  return form;
}

/** Uploads a text file of the given size in bytes, and returns its id. */
export async function uploadText(origin: string, token: string, bytes = 20): Promise<string> {
  const { id } = await callFor(201, origin, '/admin/storage/files', { token, body: textForm(bytes) });
  return id;
}
