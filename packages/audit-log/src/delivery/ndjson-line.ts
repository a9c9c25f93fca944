import type { DeliveredRecord } from './audit-target.js';

/**
 * Characters that some readers take for the end of a line, or that change how a line reads. JSON does not escape them.
 */
const HARMFUL = /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/gu;

/**
 * A record as one line of JSON, with its line end. No text of a record can end the line. JSON escapes control
 * characters and lone surrogates. U+0085, U+2028 and others are escaped here, within strings, where the escape has the
 * same meaning.
 */
export function ndjsonLine(record: DeliveredRecord): string {
  const { isSecurityEvent, sequence, id, previous, mac, keyId, durationMillis, parameters, extra, ...columns } = record;
  const line = JSON.stringify({
    sequence,
    id,
    ...columns,
    durationMillis: Number(durationMillis),
    parameters: parsed(parameters),
    extra: parsed(extra),
    security: isSecurityEvent,
    previous,
    mac,
    keyId,
  });
  return `${line.replace(HARMFUL, escapeOf)}\n`;
}

/** Parsed and written again, because a JSON text may contain line ends between its tokens. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
