import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, type ApiRequest, callApi } from './api-client.js';
import type { Violation } from './history-checker.js';

/** A request that is repeated during a fault, and its permitted answers. */
export interface Probe {
  readonly name: string;
  /** Creates the request. Called for each one. */
  request(origin: string): Promise<{ readonly path: string; readonly request?: ApiRequest }>;
  /** Statuses permitted when every check can be made. 503 is always permitted, for a check that cannot be made. */
  readonly lawful: readonly number[];
}

export interface ProbeLimits {
  /** The limit for a 503, in milliseconds. */
  readonly refusalMillis: number;
}

export interface ProbeReport {
  readonly count: number;
  /** The number of normal answers. */
  readonly served: number;
  readonly refused: number;
  /** The time of the slowest 503, in milliseconds. */
  readonly slowestRefusalMillis: number;
  readonly violations: readonly Violation[];
}

/** Sends each probe to each origin repeatedly until `harm` is done. */
export async function probeWhile(
  origins: readonly string[],
  probes: readonly Probe[],
  { refusalMillis }: ProbeLimits,
  harm: () => Promise<unknown>,
): Promise<ProbeReport> {
  const violations: Violation[] = [];
  const counts = { count: 0, served: 0, refused: 0, slowestRefusalMillis: 0 };
  let isDone = false;

  function judge({ name, lawful }: Probe, { status, code, millis }: ApiAnswer): void {
    counts.count += 1;
    const detail = `${status} ${code} after ${Math.round(millis)} ms`;
    if (status === 503) {
      counts.refused += 1;
      counts.slowestRefusalMillis = Math.max(counts.slowestRefusalMillis, Math.round(millis));
      if (millis > refusalMillis) violations.push({ kind: 'late-refusal', key: name, detail });
    } else if (lawful.includes(status)) counts.served += 1;
    else violations.push({ kind: status >= 200 && status < 300 ? 'let-through' : 'wrong-refusal', key: name, detail });
  }

  const senders = origins.flatMap((origin) =>
    probes.map(async (probe) => {
      while (!isDone) {
        const { path, request } = await probe.request(origin);
        judge(probe, await callApi(origin, path, request));
        await sleep(20);
      }
    }),
  );
  try {
    await harm();
  } finally {
    isDone = true;
    await Promise.all(senders);
  }
  return { ...counts, violations };
}
