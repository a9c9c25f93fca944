import { readFile } from 'node:fs/promises';
import {
  type AuditDelivery,
  type AuditTarget,
  createAuditDelivery,
  createNdjsonTarget,
  createSyslogTarget,
  SECURITY_ACTIONS,
} from '@sallyport/audit-log/delivery';
import { SetupError } from '@sallyport/plugin-kit/options';
import { type Config, ConfigError, type Property, variableOf } from '../../config/config.js';
import type { App } from '../../http/module.js';
import type { Database } from '../../storage/database.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The deliveries of the audit log, one for each configured receiver. */
    readonly auditDeliveries: readonly AuditDelivery[];
  }
}

export interface AuditDeliveryDependencies {
  readonly config: Config;
  /** The database of the cursors, which are not business state. */
  readonly database: Pick<Database, 'orm'>;
}

/**
 * Actions of this server that receivers treat as security events, in addition to those that begin with `security.`:
 * locks of sign-ins and of second factors, and the deletion of records by retention.
 */
const SERVER_SECURITY_ACTIONS = [...SECURITY_ACTIONS, 'second-factor.lock', 'audit-record.retain'];

type DeliveryConfig = Pick<
  Config,
  | 'audit.syslog.url'
  | 'audit.syslog.require-close-notify'
  | 'audit.ndjson.url'
  | 'audit.ndjson.headers'
  | 'audit.delivery.ca-file'
  | 'audit.delivery.cert-file'
  | 'audit.delivery.key-file'
>;

/** The default port of syslog over TLS (RFC 5425). */
const SYSLOG_PORT = 6514;

/**
 * The receivers of the audit log, by the names of their cursors.
 *
 * Rejects with a ConfigError if a file can't be read or has a wrong content.
 */
export async function openAuditTargets(config: DeliveryConfig): Promise<ReadonlyMap<string, AuditTarget>> {
  const targets = new Map<string, AuditTarget>();
  const { 'audit.syslog.url': syslog, 'audit.ndjson.url': ndjson } = config;
  if (syslog === null && ndjson === null) return targets;
  const tls = {
    ca: await readPem(config, 'audit.delivery.ca-file'),
    cert: await readPem(config, 'audit.delivery.cert-file'),
    key: await readPem(config, 'audit.delivery.key-file'),
  };
  try {
    if (syslog !== null) {
      const { hostname, port } = new URL(syslog);
      const target = createSyslogTarget({
        ...tls,
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: port === '' ? SYSLOG_PORT : Number(port),
        appName: 'sallyport',
        requireCloseNotify: config['audit.syslog.require-close-notify'],
      });
      targets.set('syslog', target);
    }
    if (ndjson !== null)
      targets.set('ndjson', createNdjsonTarget({ ...tls, url: ndjson, headers: config['audit.ndjson.headers'] ?? {} }));
  } catch (error) {
    throw error instanceof SetupError ? new ConfigError(error.faults.map(withVariables)) : error;
  }
  return targets;
}

/** The options of a target that come from files. */
function withVariables(fault: string): string {
  return fault.replace(/^(ca|cert|key)\b(?: and (key)\b)?/, (names) =>
    names
      .split(' and ')
      .map((name) => variableOf(`audit.delivery.${name as 'ca' | 'cert' | 'key'}-file`))
      .join(' and '),
  );
}

async function readPem(
  config: DeliveryConfig,
  property: Extract<Property & keyof DeliveryConfig, `${string}-file`>,
): Promise<string | undefined> {
  const path = config[property];
  if (path === null) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([
      `${variableOf(property)} can not be read: ${code}; name a PEM file that this user may read`,
    ]);
  }
}

/**
 * Delivers the audit log to its receivers while the server runs (AUD-13). Safe mode sends neither messages nor records.
 * Records are sent after a start without safe mode.
 */
export async function deliverAuditRecords(app: App, { config, database }: AuditDeliveryDependencies): Promise<void> {
  const deliveries = [...(await openAuditTargets(config))].map(([destination, target]) =>
    createAuditDelivery({
      database: database.orm,
      destination,
      target,
      securityActions: SERVER_SECURITY_ACTIONS,
      log: app.log,
    }),
  );
  app.decorate('auditDeliveries', deliveries);
  app.addHook('onReady', async function startDeliveries() {
    if (!config['safe-mode']) for (const delivery of deliveries) delivery.start();
  });
  app.addHook('onClose', async function closeDeliveries() {
    await Promise.all(deliveries.map((delivery) => delivery.close()));
  });
}
