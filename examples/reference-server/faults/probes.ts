import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, type ApiRequest, callApi } from './api-client.js';
import type { Violation } from './history-checker.js';

/** A request that is made again and again while the service is harmed, and what may be answered to it. */
export interface Probe {
  readonly name: string;
  /** Created for each request. */
  request(origin: string): Promise<{ readonly path: string; readonly request?: ApiRequest }>;
  /** Statuses of the answer where every check can be made. A check that can't be made is 503, always. */
  readonly lawful: readonly number[];
}

export interface ProbeLimits {
  /** The longest time to a 503, in milliseconds. */
  readonly refusalMillis: number;
}

export interface ProbeReport {
  readonly count: number;
  /** How many were answered as if nothing were broken. */
  readonly served: number;
  readonly refused: number;
  /** The slowest 503. */
  readonly slowestRefusalMillis: number;
  readonly violations: readonly Violation[];
}

/** Sends each probe to each origin, over and over, until `harm` is done. */
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
