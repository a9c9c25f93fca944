import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/places/laboratory/protocol/delivery.js';
import { countOutcomes, outcomeOf } from '../../src/places/laboratory/protocol/outcome.js';
import { decisionOf, isRefusalCode, STAGE_OF_CODE, STAGES } from '../../src/places/laboratory/protocol/stages.js';
import { trackOf, waitingTrack } from '../../src/places/laboratory/protocol/track.js';
import { exchangeOf, NOW, refusal, sentOf, success, WINDOW_SECONDS } from './bench.js';

interface Response {
  readonly $ref?: string;
  readonly content?: Record<string, { schema: { allOf?: { properties?: { code?: { enum?: string[] } } }[] } }>;
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  readonly components: { readonly responses: Record<string, Response> };
}

const OPERATIONS = [
  ['/admin/profile', 'get', 'profile'],
  ['/admin/payments', 'get', 'payments'],
  ['/admin/payments', 'post', 'payment'],
] as const;

const document: OpenApiDocument = JSON.parse(
  await readFile(new URL('../../../reference-server/openapi.json', import.meta.url), 'utf8'),
);

/** The codes of an operation, with their status, as the document lists them. */
function codesOf(path: string, method: string): readonly { readonly status: number; readonly code: string }[] {
  const { responses } = document.paths[path]?.[method] ?? { responses: {} };
  return Object.entries(responses).flatMap(([status, response]) => {
    const described = document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
    const schemas = Object.values(described.content ?? {}).flatMap(({ schema }) => schema.allOf ?? []);
    return schemas
      .flatMap(({ properties }) => properties?.code?.enum ?? [])
      .map((code) => ({ status: Number(status), code }));
  });
}

const statesOf = (...exchanges: Exchange[]) =>
  Object.fromEntries(trackOf(exchanges, WINDOW_SECONDS).map(({ stage, state }) => [stage, state]));

describe('the stages of the laboratory', () => {
  it('CON-3 knows a place for every code that the OpenAPI document lists for its requests, and no others', () => {
    const listed = new Set(OPERATIONS.flatMap(([path, method]) => codesOf(path, method).map(({ code }) => code)));
    expect(listed.size).toBeGreaterThan(40);
    expect([...listed].sort()).toEqual(Object.keys(STAGE_OF_CODE).sort());
  });

  it.each(OPERATIONS)(
    'CON-3 %s %s: each code ends the track at one stage, or nowhere is claimed',
    (path, method, name) => {
      for (const { status, code } of codesOf(path, method)) {
        const exchange = exchangeOf(sentOf(name), refusal(code, { status }));
        const decision = decisionOf(exchange, WINDOW_SECONDS);
        const track = trackOf([exchange], WINDOW_SECONDS);
        const refused = track.filter(({ state }) => state === 'refused').map(({ stage }) => stage);
        expect(decision.kind, code).toBe('refused');
        if (decision.kind !== 'refused') continue;
        expect(refused, code).toEqual(decision.stage === null ? [] : [decision.stage]);
        expect(track.map(({ stage }) => stage)).toEqual(STAGES);
        if (decision.stage === null || decision.stage === 'rateLimit') continue;
        const at = STAGES.indexOf(decision.stage);
        const before = track.slice(0, at).map(({ state }) => state);
        expect(new Set([...before, 'passed', 'skipped']), code).toEqual(new Set(['passed', 'skipped']));
        expect(
          track.slice(at + 1).every(({ stage, state }) => state !== 'passed' || stage === 'rateLimit'),
          code,
        ).toBe(true);
      }
    },
  );

  it('CON-3 tells an envelope out of time from one used before by the time of the service', () => {
    const sent = sentOf('payment');
    const code = 'ENVELOPE_EXPIRED_OR_REPLAYED';
    const expired = exchangeOf(sent, refusal(code, { serverTime: NOW + WINDOW_SECONDS * 1000 + 1 }));
    const replayed = exchangeOf(sent, refusal(code, { serverTime: NOW + WINDOW_SECONDS * 1000 }));
    expect([expired, replayed].map((each) => outcomeOf(each, WINDOW_SECONDS))).toEqual(['expired', 'replayed']);
    expect(statesOf(expired)).toMatchObject({ bodyOpening: 'refused', replay: 'unreached' });
    expect(statesOf(replayed)).toMatchObject({ bodyOpening: 'passed', replay: 'refused' });
  });

  it('CON-3 a query envelope is opened before the rate limit, a body envelope after it', () => {
    const answer = refusal('ENVELOPE_REJECTED');
    expect(statesOf(exchangeOf(sentOf('payments'), answer))).toMatchObject({
      queryOpening: 'refused',
      rateLimit: 'passed',
      policy: 'unreached',
      bodyOpening: 'skipped',
    });
    expect(statesOf(exchangeOf(sentOf('payment'), answer))).toMatchObject({
      queryOpening: 'skipped',
      rateLimit: 'passed',
      policy: 'passed',
      bodyOpening: 'refused',
      replay: 'unreached',
    });
    // 429 wins over whatever the opening found.
    expect(statesOf(exchangeOf(sentOf('payments'), refusal('RATE_LIMITED', { status: 429 })))).toMatchObject({
      queryOpening: 'unknown',
      rateLimit: 'refused',
    });
  });

  it('CON-3 a sealed refusal proves that the envelope was opened and counted', () => {
    const sealed = exchangeOf(sentOf('payment'), refusal('IDEMPOTENCY_SUBMITTED', { status: 409, isSealed: true }));
    expect(statesOf(sealed)).toMatchObject({
      replay: 'passed',
      content: 'passed',
      idempotency: 'refused',
      handler: 'unreached',
      sealing: 'passed',
    });
    const fault = exchangeOf(sentOf('payment'), refusal('INTERNAL_ERROR', { status: 500, isSealed: true }));
    expect(statesOf(fault)).toMatchObject({ token: 'passed', replay: 'passed', handler: 'unknown', sealing: 'passed' });
    const inTheClear = exchangeOf(sentOf('payment'), refusal('INTERNAL_ERROR', { status: 500 }));
    expect(statesOf(inTheClear)).toMatchObject({ token: 'unknown', replay: 'unknown', sealing: 'unreached' });
  });

  it('CON-3 in the clear the stages of the envelope have nothing to do', () => {
    const plain = sentOf('payment', { key: null });
    const none = { queryOpening: 'skipped', policy: 'skipped', replay: 'skipped', sealing: 'skipped' };
    expect(statesOf(exchangeOf(plain, success(false)))).toMatchObject({
      ...none,
      bodyOpening: 'passed',
      handler: 'passed',
    });
    expect(Object.fromEntries(waitingTrack(plain).map(({ stage, state }) => [stage, state]))).toMatchObject({
      ...none,
      token: 'waiting',
    });
    // Safe mode refuses there all the same.
    const safe = exchangeOf(plain, refusal('SAFE_MODE', { status: 403 }));
    expect(statesOf(safe)).toMatchObject({ policy: 'refused', bodyOpening: 'unreached' });
    const malformed = refusal('BODY_MALFORMED');
    expect(statesOf(exchangeOf(plain, malformed))).toMatchObject({ bodyOpening: 'refused' });
    expect(statesOf(exchangeOf(sentOf('payment'), malformed))).toMatchObject({ content: 'refused' });
  });

  it('CON-3 counts the copies that ended at a stage, the executed one first', () => {
    const sent = sentOf('payment');
    const used = refusal('ENVELOPE_EXPIRED_OR_REPLAYED', { serverTime: NOW });
    const copies = [...Array.from({ length: 9 }, () => exchangeOf(sent, used)), exchangeOf(sent, success(true))];
    expect(countOutcomes(copies, WINDOW_SECONDS).map(({ outcome, exchanges }) => [outcome, exchanges.length])).toEqual([
      ['written', 1],
      ['replayed', 9],
    ]);
    const replay = trackOf(copies, WINDOW_SECONDS).find(({ stage }) => stage === 'replay');
    expect(replay).toEqual({ stage: 'replay', state: 'passed', refused: 9 });
    expect(statesOf(...copies)).toMatchObject({ handler: 'passed', sealing: 'passed' });
  });

  it('CON-3 claims nothing of an answer that never came, or that it does not know', () => {
    const lost = exchangeOf(sentOf('payment'), { kind: 'lost' });
    expect(statesOf(lost)).toMatchObject({ token: 'unknown', handler: 'unknown' });
    expect(outcomeOf(lost, WINDOW_SECONDS)).toBe('lost');
    expect(outcomeOf(exchangeOf(sentOf('payment'), refusal('SOMETHING_NEW')), WINDOW_SECONDS)).toBe('other');
    expect(isRefusalCode('toString')).toBe(false);
  });
});
