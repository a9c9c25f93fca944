import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiAnswer, callApi } from './api-client.js';
import type { Violation } from './history-checker.js';
import { readServiceKey, type SealedCopy, type ServiceKey, sealGet } from './sealed-copy.js';

/** A public operation, so that a refusal is the replay guard's and not that of a session that was lost as well. */
const PUBLIC_PATH = '/admin/auth/captcha';

/** An attacker who recorded envelopes, and honest clients, against the nodes of one fleet with `shippedGate`. */
export interface ReplayedEnvelopes {
  /** Sends each node so many new envelopes, which must be accepted. Stamped so far ahead of the harness's clock. */
  accept(count: number, aheadMillis?: number): Promise<void>;
  /** Sends every accepted envelope to every node again. */
  replay(when: string): Promise<void>;
  /** Resolves to the milliseconds until every node accepts a page of new envelopes of an honest client. */
  untilServed(limitMillis: number): Promise<number>;
  /** Resolves, after so many milliseconds, to those in which some node refused a page. */
  outage(millis: number): Promise<number>;
  /** Whether a node said since the last call that it is not ready. */
  wasNotReady(): Promise<boolean>;
  readonly accepted: number;
  readonly replayed: number;
  readonly violations: readonly Violation[];
}

export interface ReplayedEnvelopesOptions {
  /** Whether honest clients go by the clock of the node, as shipped clients do. Default: their clocks are right. */
  readonly goByNodes?: boolean;
  /** The parts of the nonce store: a page has an envelope for each (RPL-6). Default 1. */
  readonly parts?: number;
}

/** A console that waits for the server asks so often for the requests of a page, all at once. */
const HONEST_PAUSE_MILLIS = 250;
const PAGE = 6;

/** The office of all honest clients: its requests count together. */
const HONEST_ADDRESS = '198.51.100.7';

/** The flood gate opens 25 of them in a window, so the attacker goes on from another address. */
const REPLAYS_OF_ADDRESS = 20;

export async function createReplayedEnvelopes(
  origins: readonly string[],
  { goByNodes = false, parts = 1 }: ReplayedEnvelopesOptions = {},
): Promise<ReplayedEnvelopes> {
  const key = await readServiceKey(origins[0]!);
  const copies: SealedCopy[] = [];
  const violations: Violation[] = [];
  let accepted = 0;
  let replayed = 0;
  let wasNotReady = false;

  const seal = (service: ServiceKey, stamp: number) => sealGet(service, PUBLIC_PATH, null, stamp);
  const send = (origin: string, from: string, { path, request }: SealedCopy) =>
    callApi(origin, path, { ...request, headers: { ...request.headers, 'x-forwarded-for': from } });
  const clockOf = async (origin: string) => (goByNodes ? (await readServiceKey(origin)).serverTime : Date.now());

  function addViolation(kind: Violation['kind'], { path }: SealedCopy, detail: string): void {
    violations.push({ kind, key: path.slice(-12), detail });
  }

  async function lookAtReadiness(): Promise<void> {
    const answers = await Promise.all(origins.map((origin) => callApi(origin, '/actuator/health/readiness')));
    wasNotReady ||= answers.some(({ status }) => status === 503);
  }

  function sealPage(time: number): readonly SealedCopy[] {
    const page: SealedCopy[] = [];
    const missing = new Set(Array.from({ length: parts }, (_, part) => part));
    while (missing.size > 0 || page.length < PAGE) {
      const copy = seal(key, time);
      if (missing.delete(firstByteOfNonce(copy) % parts) || missing.size === 0) page.push(copy);
    }
    return page;
  }

  /** ORD-6: what a loss refuses costs an honest client nothing. */
  async function isPageServed(origin: string): Promise<boolean> {
    const time = await clockOf(origin).catch(() => Date.now());
    const page = sealPage(time);
    const answers = await Promise.all(page.map((copy) => send(origin, HONEST_ADDRESS, copy)));
    for (const [index, { status }] of answers.entries()) {
      if (status === 429) addViolation('refused', page[index]!, 'an honest client, by the flood gate');
    }
    return answers.every(({ status }) => status === 200);
  }

  return {
    async accept(count, aheadMillis = 0) {
      for (let index = 0; index < count * origins.length; index += 1) {
        const origin = origins[index % origins.length]!;
        const copy = seal(key, (await clockOf(origin)) + aheadMillis);
        const answer = await send(origin, HONEST_ADDRESS, copy);
        if (answer.status === 200) copies.push(copy);
        else addViolation('refused', copy, `${answer.status} ${answer.code}`);
      }
      accepted = copies.length;
    },
    async replay(when) {
      for (const [index, origin] of origins.entries()) {
        for (const copy of copies) {
          const answer = await send(origin, addressOfReplay(replayed), copy);
          replayed += 1;
          const fault = replayFault(answer);
          if (fault !== null) addViolation(fault, copy, `node ${index + 1}, ${when}: ${answer.status} ${answer.code}`);
        }
      }
    },
    async untilServed(limitMillis) {
      const began = performance.now();
      const waiting = new Set(origins);
      while (waiting.size > 0 && performance.now() - began < limitMillis) {
        await lookAtReadiness();
        await Promise.all(
          [...waiting].map(async (origin) => {
            if (await isPageServed(origin)) waiting.delete(origin);
          }),
        );
        if (waiting.size > 0) await sleep(HONEST_PAUSE_MILLIS);
      }
      const millis = Math.round(performance.now() - began);
      for (const origin of waiting) violations.push({ kind: 'refused', key: origin, detail: `after ${millis} ms` });
      return millis;
    },
    async outage(millis) {
      const began = performance.now();
      let refusedMillis = 0;
      while (performance.now() - began < millis) {
        const asked = performance.now();
        const pages = await Promise.all(origins.map(isPageServed));
        await sleep(HONEST_PAUSE_MILLIS);
        if (pages.includes(false)) refusedMillis += performance.now() - asked;
      }
      return Math.round(refusedMillis);
    },
    async wasNotReady() {
      await lookAtReadiness();
      const was = wasNotReady;
      wasNotReady = false;
      return was;
    },
    get accepted() {
      return accepted;
    },
    get replayed() {
      return replayed;
    },
    violations,
  };
}

function firstByteOfNonce({ path }: SealedCopy): number {
  const text = new URLSearchParams(path.slice(path.indexOf('?'))).get('__enc')!;
  const { nonce } = JSON.parse(Buffer.from(text, 'base64url').toString()) as { nonce: string };
  return Buffer.from(nonce, 'base64url')[0]!;
}

/** A replay that the flood gate refuses proves nothing of the guard. */
function replayFault({ status }: ApiAnswer): Violation['kind'] | null {
  if (status === 200) return 'replay-accepted';
  return status === 429 ? 'replay-not-judged' : null;
}

const addressOfReplay = (replay: number) => {
  const address = Math.floor(replay / REPLAYS_OF_ADDRESS);
  return `203.0.${Math.floor(address / 250)}.${1 + (address % 250)}`;
};
