import { parseRange } from '@sallyport/plugin-kit/addresses';
import { reachOf } from '../config/reach.js';
import { settingCheck } from './preflight-check.js';
import type { PreflightItem } from './preflight-item.js';

/** The widest public range that one operator of proxies has, such as a large content delivery network. */
const WIDEST_PUBLIC_BITS = { ipv4: 12, ipv6: 28 } as const;

/** A private range as wide as this is a whole site and not only its proxies. */
const WIDE_PRIVATE_BITS = { ipv4: 16, ipv6: 48 } as const;

/**
 * IP-2, and the checklist of the interface document: the proxy forwards the real client IP. The server speaks plain
 * HTTP, and production requires HTTPS, so there is always a proxy.
 */
export const proxies = settingCheck({
  id: 'proxies',
  reads: ['trusted-proxies', 'host'],
  *run({ config }) {
    const ranges = config['trusted-proxies'];
    if (ranges.length === 0) {
      yield {
        id: 'proxies.none',
        severity: 'error',
        finding: isOnMachine(config.host)
          ? 'SERVICE_TRUSTED_PROXIES is empty, and the server listens on this machine only, so it is behind a proxy: all clients would share one address, one rate limit and one lock'
          : `SERVICE_TRUSTED_PROXIES is empty, and the server listens beyond this machine: either all clients of a proxy share its address, or there is no proxy and passwords travel unencrypted`,
        fix: 'list the addresses of the proxies that overwrite X-Forwarded-For, such as 127.0.0.1 or 10.0.0.5',
      };
    }
    for (const [index, range] of ranges.entries()) yield* judgeRange(range, index);
  },
});

function* judgeRange(range: string, index: number): Iterable<PreflightItem> {
  const parsed = parseRange(range);
  // The configuration refused it.
  if (typeof parsed === 'string') return;
  const { base, prefixBits: bits } = parsed;
  const family = base.kind();
  const name = `entry ${index + 1} of SERVICE_TRUSTED_PROXIES`;
  const reach = reachOf(base.toString());
  if (reach === 'public') {
    if (bits < WIDEST_PUBLIC_BITS[family]) {
      yield {
        id: 'proxies.too-wide',
        severity: 'error',
        finding: `${name} is a public range (/${bits}) wider than that of any proxy operator`,
        fix: 'list only the addresses of your proxies: every host in the range can claim any client IP',
      };
    } else if (bits < (family === 'ipv4' ? 32 : 128)) {
      yield {
        id: 'proxies.public-range',
        severity: 'warning',
        finding: `${name} is a public range (/${bits}): every host in it can claim any client IP`,
        fix: 'make sure that all of it belongs to you or to the network of your proxies',
      };
    }
  } else if (reach === 'private' && bits < WIDE_PRIVATE_BITS[family]) {
    yield {
      id: 'proxies.whole-network',
      severity: 'warning',
      finding: `${name} is a whole private network (/${bits}): every host in it can claim any client IP`,
      fix: 'list the addresses of the proxies, or a subnet that contains nothing else',
    };
  }
}

/** Whether the port is reachable from the public network depends on firewalls, which can't be checked here. */
export const listening = settingCheck({
  id: 'listening',
  reads: ['host', 'metrics.host', 'metrics.port'],
  *run({ config }) {
    const { host, 'metrics.host': metricsHost, 'metrics.port': metricsPort } = config;
    if (metricsPort !== null && !isOnMachine(metricsHost) && reachOf(metricsHost) !== 'private') {
      yield {
        id: 'listening.metrics',
        severity: 'warning',
        finding: 'SERVICE_METRICS_HOST serves the metrics without a token on an address that may be public',
        fix: 'set it to an address that only the scraper reaches, or make sure that a firewall or the container blocks everyone else',
      };
    }
    if (isOnMachine(host) || reachOf(host) === 'private') return;
    const isEverywhere = /^(?:0\.0\.0\.0|\[?::\]?)$/.test(host);
    yield {
      id: isEverywhere ? 'listening.everywhere' : 'listening.public',
      severity: 'warning',
      finding: isEverywhere
        ? 'the server listens on every address of the machine, in plain HTTP'
        : 'the server listens on an address that may be public, in plain HTTP',
      fix: 'set SERVICE_HOST to the address that the proxy uses, or make sure that a firewall or the container blocks everyone else',
    };
  },
});

/**
 * Behind a proxy the server knows only from its configuration that its public address is https. An `http` address is
 * refused when the configuration is read.
 */
export const https = settingCheck({
  id: 'https',
  reads: ['public-url', 'cors-origins'],
  *run({ config }) {
    if (config['public-url'] === null) {
      yield {
        id: 'https.unknown',
        severity: 'warning',
        finding: 'SERVICE_PUBLIC_URL is not set: it is unknown whether clients use HTTPS',
        fix: 'set it to the https address of the proxy',
      };
    }
    for (const origin of config['cors-origins']) {
      if (!origin.startsWith('http:') || reachOf(new URL(origin).hostname) === 'machine') continue;
      yield {
        id: 'https.cors-origin',
        severity: 'error',
        finding: `SERVICE_CORS_ORIGINS accepts an origin without encryption (${origin}): an attacker on the network can inject scripts into its pages`,
        fix: 'serve the page by https, and list that origin',
      };
    }
  },
});

function isOnMachine(host: string): boolean {
  return reachOf(host) === 'machine';
}
