import { cleanText } from '@sallyport/masking';
import type { DeliveredRecord } from './audit-target.js';

/** The common parts of all messages of a target. */
export interface SyslogOrigin {
  /** 0 to 23 (RFC 5424, 6.2.1). */
  readonly facility: number;
  /** HOSTNAME, APP-NAME and SD-ID: printable US-ASCII, checked as options. */
  readonly hostname: string;
  readonly appName: string;
  readonly structuredDataId: string;
  /** The maximum length of a message, in bytes. */
  readonly maxMessageBytes: number;
}

/** Severities (RFC 5424, 6.2.1): critical for security events, error, notice, informational. */
const SECURITY_SEVERITY = 2;
const SEVERITIES: Readonly<Record<string, number>> = { failure: 3, refused: 5, success: 6 };
const OTHER_SEVERITY = 5;

/** TIMESTAMP (RFC 5424, 6.2.3), with six digits as in the column. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/** MSGID (RFC 5424, 6.2.7). */
const MESSAGE_ID = /^[!-~]{1,32}$/;

/** The maximum length of MSG in characters. It repeats the structured data. */
const MAX_TEXT_LENGTH = 160;

/** Bytes for the parameter with the names of cut columns, enough for the names of all columns. */
const TRUNCATED_BYTES = 200;

/** The maximum share of the remaining bytes for a text, so that each column has a share. */
const SHARE = 0.5;

/**
 * A record as one message of RFC 5424, without a frame. Every column is a parameter of the structured data; a null
 * column has none. No text of a record can end the message or a parameter: control characters, line ends, U+2028, bidi
 * marks and lone surrogates become escapes such as `\u000a`, and `"`, `\` and `]` are escaped (RFC 5424, 6.3.3).
 *
 * If a message would be too long, its texts are cut, `parameters` first, and the parameter `truncated` names the
 * columns. Receivers split or drop longer messages, and a split one could forge the next message.
 */
export function syslogMessage(record: DeliveredRecord, origin: SyslogOrigin): string {
  const { facility, hostname, appName, structuredDataId, maxMessageBytes } = origin;
  const severity = record.isSecurityEvent ? SECURITY_SEVERITY : (SEVERITIES[record.outcome] ?? OTHER_SEVERITY);
  const timestamp = TIMESTAMP.test(record.occurredAt) ? record.occurredAt : '-';
  const messageId = MESSAGE_ID.test(record.action) ? record.action : '-';
  const head = `<${8 * facility + severity}>1 ${timestamp} ${hostname} ${appName} - ${messageId} [${structuredDataId}`;
  const text = asciiOf(`${record.action} ${record.outcome}`).slice(0, MAX_TEXT_LENGTH);

  let left = maxMessageBytes - head.length - text.length - TRUNCATED_BYTES;
  const truncated: string[] = [];
  let data = '';
  function add(name: string, value: string | number | null, share = SHARE): void {
    if (value === null || value === undefined) return;
    const room = Math.floor(left * share) - name.length - 4;
    const whole = escapeValue(cleanText(String(value), Number.MAX_SAFE_INTEGER));
    const kept = cutBytes(whole, room);
    if (kept !== whole) truncated.push(name);
    const parameter = ` ${name}="${kept}"`;
    left -= Buffer.byteLength(parameter);
    data += parameter;
  }
  add('sequence', record.sequence);
  add('id', record.id);
  add('occurredAt', record.occurredAt);
  add('outcome', record.outcome);
  if (record.isSecurityEvent) add('security', 'true');
  add('durationMillis', record.durationMillis);
  add('keyId', record.keyId);
  add('mac', record.mac);
  add('previous', record.previous);
  add('action', record.action);
  add('actor', record.actor);
  add('target', record.target);
  add('reason', record.reason);
  add('clientIp', record.clientIp);
  add('extra', record.extra);
  add('parameters', record.parameters, 1);
  if (truncated.length > 0) data += ` truncated="${truncated.join(' ')}"`;
  return `${head}${data}] ${text}`;
}

/** A message in its frame, by octet counting (RFC 5425, 4.3), so that no content can end it. */
export function frameOf(message: string): Buffer {
  const bytes = Buffer.from(message);
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes]);
}

/** PARAM-VALUE (RFC 5424, 6.3.3). */
function escapeValue(text: string): string {
  return text.replace(/["\\\]]/g, '\\$&');
}

/**
 * The longest prefix with this many bytes of UTF-8. It does not end within a character or after a lone escaping
 * backslash.
 */
function cutBytes(escaped: string, maxBytes: number): string {
  if (Buffer.byteLength(escaped) <= maxBytes) return escaped;
  let bytes = 0;
  let end = 0;
  for (const [unit] of escaped.matchAll(/\\.|[^\\]/gsu)) {
    bytes += Buffer.byteLength(unit);
    if (bytes > maxBytes) break;
    end += unit.length;
  }
  return escaped.slice(0, end);
}

/** MSG without UTF-8, because UTF-8 would need a byte order mark (RFC 5424, 6.4). */
function asciiOf(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
