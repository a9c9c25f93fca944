import { hostname as machineName } from 'node:os';
import { flag, option, readOptions, text, wholeNumber } from '@sallyport/plugin-kit/options';
import { AuditSetupError } from '../errors.js';
import type { AuditTarget } from './audit-target.js';
import { frameOf, syslogMessage } from './syslog-message.js';
import { sendTlsBatch } from './tls-batch.js';
import { type TargetTlsOptions, targetTlsRules, tlsContext, tlsFaults } from './tls-options.js';

export interface SyslogTargetOptions extends TargetTlsOptions {
  /** A host name or an address. Required. */
  readonly host: string;
  /** Default 6514 (RFC 5425). */
  readonly port?: number;
  /** The time limit of a batch, from the connection to its end, in milliseconds, 100 to 600 000. Default 10 000. */
  readonly timeoutMillis?: number;
  /**
   * Whether a batch counts as delivered only if the receiver ends the TLS stream, as RFC 5425 requires. Default false,
   * because rsyslog's driver `gtls` doesn't end it. With false, an attacker who can forge TCP segments can make lost
   * records look delivered.
   */
  readonly requireCloseNotify?: boolean;
  /** 0 to 23. Default 13, log audit (RFC 5424). */
  readonly facility?: number;
  /** HOSTNAME: 1 to 255 printable ASCII characters without spaces. Default the name of this machine. */
  readonly hostname?: string;
  /** APP-NAME: 1 to 48 printable ASCII characters without spaces. Default `audit-log`. */
  readonly appName?: string;
  /**
   * SD-ID of the columns: a name, `@` and your private enterprise number. Default `audit@32473`, the number that
   * RFC 5612 reserves for examples.
   */
  readonly structuredDataId?: string;
  /**
   * The longest message, in bytes, 2048 to 1 048 576. Default 8192, which rsyslog and RFC 5425 accept. The texts of
   * longer messages are cut, and the parameter `truncated` names them. Set the limit of the receiver to at least the
   * same.
   */
  readonly maxMessageBytes?: number;
}

const printable = (maxLength: number, byDefault: string) =>
  option<string>({
    meaning: `1 to ${maxLength} printable ASCII characters without spaces`,
    accepts: (value) => typeof value === 'string' && value.length <= maxLength && /^[!-~]+$/.test(value),
    default: byDefault,
  });

export const SYSLOG_TARGET_DEFAULTS = {
  port: 6514,
  timeoutMillis: 10_000,
  requireCloseNotify: false,
  facility: 13,
  hostname:
    machineName()
      .replace(/[^!-~]/g, '_')
      .slice(0, 255) || 'localhost',
  appName: 'audit-log',
  structuredDataId: 'audit@32473',
  maxMessageBytes: 8192,
} as const satisfies Partial<SyslogTargetOptions>;

const rules = {
  ...targetTlsRules,
  host: text({ maxLength: 255, what: 'a host name or an address' }),
  port: wholeNumber({ min: 1, max: 65_535, default: SYSLOG_TARGET_DEFAULTS.port }),
  timeoutMillis: wholeNumber({
    ...{ min: 100, max: 600_000, unit: 'milliseconds', default: SYSLOG_TARGET_DEFAULTS.timeoutMillis },
  }),
  requireCloseNotify: flag({ default: SYSLOG_TARGET_DEFAULTS.requireCloseNotify }),
  facility: wholeNumber({ min: 0, max: 23, default: SYSLOG_TARGET_DEFAULTS.facility }),
  hostname: printable(255, SYSLOG_TARGET_DEFAULTS.hostname),
  appName: printable(48, SYSLOG_TARGET_DEFAULTS.appName),
  structuredDataId: option<string>({
    meaning: 'a name, @ and an enterprise number, 32 characters at most',
    accepts: (value) =>
      typeof value === 'string' && value.length <= 32 && /^[!#-<>?A-\\^-~]+@\d+(?:\.\d+)*$/.test(value),
    default: SYSLOG_TARGET_DEFAULTS.structuredDataId,
  }),
  maxMessageBytes: wholeNumber({
    ...{ min: 2048, max: 1_048_576, unit: 'bytes', default: SYSLOG_TARGET_DEFAULTS.maxMessageBytes },
  }),
};

type CheckedOptions = Required<Omit<SyslogTargetOptions, keyof TargetTlsOptions>> & TargetTlsOptions;

/**
 * Sends records as syslog: messages of RFC 5424 with octet counting over TLS (RFC 5425), one connection for a batch.
 * `sendTlsBatch` defines when a batch counts as delivered.
 *
 * @example
 * ```ts
 * import { createSyslogTarget } from '@sallyport/audit-log/delivery';
 *
 * export const target = createSyslogTarget({ host: 'logs.example.com', structuredDataId: 'audit@32473' });
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createSyslogTarget(options: SyslogTargetOptions): AuditTarget {
  const checked = readOptions<CheckedOptions>(
    { subject: 'createSyslogTarget', SetupError: AuditSetupError },
    options,
    rules,
    tlsFaults,
  );
  const { host, port, timeoutMillis, requireCloseNotify } = checked;
  const connection = { host, port, tls: tlsContext(checked), timeoutMillis, requireCloseNotify };
  let isKnown = false;
  return {
    async send(records, signal) {
      const isFirst = !isKnown;
      isKnown = false;
      const frames = records.map((record) => frameOf(syslogMessage(record, checked)));
      await sendTlsBatch(Buffer.concat(frames), { ...connection, isFirst }, signal);
      isKnown = true;
    },
  };
}
