import { expect, it } from 'vitest';
import type { Answer } from '../../src/places/laboratory/protocol/delivery.js';
import { hasTakenKey, minutesOf, obstacleTo } from '../../src/places/laboratory/protocol/experiments.js';
import { buildRequest } from '../../src/places/laboratory/protocol/requests.js';

const CONTENT = { payee: 'Laboratory', amount: '12.50' };

const answered = (status: number, code: string | null): Answer => ({
  ...{ kind: 'answered', status, code, detail: null, requestId: null, serverTime: null },
  ...{ isSealed: false, wireText: '', text: '' },
});

it('CON-3 content is changed only under a key that the service has taken: else the change would be paid', () => {
  const last = buildRequest('payment', CONTENT, crypto.randomUUID());
  const situation = { isSealing: true, request: 'payment', last } as const;
  expect(obstacleTo('change', { ...situation, isKeyTaken: false })).toBe('keyNotTaken');
  expect(obstacleTo('change', { ...situation, isKeyTaken: true })).toBeNull();
  expect(obstacleTo('change', { ...situation, last: null, isKeyTaken: false })).toBe('nothingSent');
});

it.each([
  [answered(201, null), true],
  [answered(409, 'IDEMPOTENCY_SUBMITTED'), true],
  [answered(401, 'TOKEN_MISSING'), false],
  [answered(400, 'ENVELOPE_REJECTED'), false],
  [{ kind: 'lost' } as const, false],
])('CON-3 an answer tells whether the key is taken: %j, %s', (answer, isTaken) => {
  const request = buildRequest('payment', CONTENT, crypto.randomUUID());
  const sent = { request, token: null, language: 'en', envelope: null };
  expect(hasTakenKey({ sent, answer })).toBe(isTaken);
});

it.each([
  [10, 10],
  ['-10', -10],
  ['0', 0],
  ['1440', 1440],
  ['-', null],
  ['', null],
  [' ', null],
  ['1.5', null],
  [1441, null],
])('CON-3 the minutes of a field that is typed into: %j, %s', (typed, minutes) => {
  expect(minutesOf(typed)).toBe(minutes);
});
