import { describe, expect, it } from 'vitest';
import { bodyOf, headersOf, targetOf } from '../../src/places/laboratory/protocol/delivery.js';
import { canFlip, FLIPPABLE, flipByte, plaintextOf } from '../../src/places/laboratory/protocol/envelope.js';
import { requestText } from '../../src/places/laboratory/protocol/http-text.js';
import { prepare } from '../../src/places/laboratory/protocol/prepare.js';
import { changedContent, REQUEST_NAMES } from '../../src/places/laboratory/protocol/requests.js';
import { CONTENT, KEY, materialOf, NOW, openShown, sentOf, TOKEN } from './bench.js';

describe('the envelope of the laboratory', () => {
  it.each(REQUEST_NAMES)('CON-3 opens %s with the bound values that the page shows', (name) => {
    const sent = sentOf(name);
    const { envelope } = sent;
    if (envelope === null) throw new Error('not sealed');
    expect(openShown(sent, envelope)).toBe(plaintextOf(envelope, sent.request));
  });

  it('CON-3 shows nothing of the payee on the wire, and no token in full', () => {
    const sent = sentOf('payment');
    const shown = requestText(sent);
    expect(shown).not.toContain(CONTENT.payee);
    expect(shown).not.toContain(TOKEN);
    expect(requestText({ ...sent, envelope: null })).toContain(CONTENT.payee);
  });

  it.each(FLIPPABLE)('CON-3 flips exactly one byte of %s, after which the envelope does not open', (part) => {
    for (const name of ['payment', 'payments'] as const) {
      const sent = sentOf(name);
      const { envelope } = sent;
      if (envelope === null) throw new Error('not sealed');
      const flipped = flipByte(envelope, part);
      const member = part === 'ek' ? 'ek' : 'ct';
      const [before, after] = [envelope, flipped].map(({ members }) => Buffer.from(members[member], 'base64url'));
      expect(before?.filter((byte, index) => byte !== after?.[index])).toHaveLength(1);
      expect(flipped.members).toEqual({ ...envelope.members, [member]: flipped.members[member] });
      expect(openShown(sent, flipped)).toBeNull();
      expect(openShown(sent, envelope)).not.toBeNull();
      // What travels is the flipped envelope.
      const wire = bodyOf({ ...sent, envelope: flipped }) ?? targetOf({ ...sent, envelope: flipped });
      const json = wire.startsWith('{') ? wire : Buffer.from(wire.split('__enc=')[1] ?? '', 'base64url').toString();
      expect(JSON.parse(json)).toEqual(flipped.members);
    }
  });

  it('CON-3 an empty plaintext has no ciphertext to flip', () => {
    const { envelope } = sentOf('profile');
    if (envelope === null) throw new Error('not sealed');
    expect(FLIPPABLE.filter((part) => canFlip(envelope, part))).toEqual(['tag', 'ek']);
  });
});

describe('the experiments of the laboratory', () => {
  it('CON-3 sends the same envelope again byte for byte', () => {
    const last = sentOf('payment');
    expect(prepare({ name: 'again' }, materialOf('payment', { last }))).toEqual([last]);
  });

  it('CON-3 retries with the same key and content, in a new envelope', () => {
    const last = sentOf('payment');
    const other = { ...materialOf('payment').draft, idempotencyKey: 'another', body: '{}' };
    const [retry] = prepare({ name: 'retry' }, materialOf('payment', { last, draft: other }));
    expect(retry.request).toEqual(last.request);
    expect(headersOf(retry)['Idempotency-Key']).toBe(KEY);
    for (const member of ['nonce', 'ek', 'iv', 'ct'] as const) {
      expect(retry.envelope?.members[member]).not.toBe(last.envelope?.members[member]);
    }
  });

  it('CON-3 changes the content under the same key: a greater amount, or what was edited', () => {
    const last = sentOf('payment');
    const [changed] = prepare({ name: 'change' }, materialOf('payment', { last }));
    expect(JSON.parse(changed.request.body)).toEqual({ ...CONTENT, amount: '13.50' });
    expect(changed.request.idempotencyKey).toBe(KEY);

    const { draft } = materialOf('payment');
    const edited = { ...draft, idempotencyKey: 'another', content: { payee: 'Dockyard', amount: '1' } };
    const [chosen] = prepare({ name: 'change' }, materialOf('payment', { last, draft: edited }));
    expect(JSON.parse(chosen.request.body)).toEqual({ payee: 'Dockyard', amount: '1' });
    expect(chosen.request.idempotencyKey).toBe(KEY);
    expect(changedContent({ payee: 'A', amount: 'not a number' }).amount).toBe('1.00');
  });

  it('CON-3 moves the clock, and drops the token from the header and from the bound values', () => {
    const [moved] = prepare({ name: 'clock', minutes: -7 }, materialOf('payment'));
    expect(moved.envelope?.members.ts).toBe(NOW - 7 * 60_000);
    const [anonymous] = prepare({ name: 'drop' }, materialOf('payment'));
    expect(headersOf(anonymous)).not.toHaveProperty('Authorization');
    expect(anonymous.envelope && openShown(anonymous, anonymous.envelope)).toContain(CONTENT.payee);
  });

  it('CON-3 makes ten copies of one envelope, or ten envelopes under one key', () => {
    const same = prepare({ name: 'copies', of: 'envelope' }, materialOf('payment'));
    const others = prepare({ name: 'copies', of: 'key' }, materialOf('payment'));
    const noncesOf = (sent: typeof same) => new Set(sent.map(({ envelope }) => envelope?.members.nonce)).size;
    expect([same.length, noncesOf(same), others.length, noncesOf(others)]).toEqual([10, 1, 10, 10]);
    expect(new Set(others.map(({ request }) => request.idempotencyKey))).toEqual(new Set([KEY]));
  });

  it('CON-3 sends the request itself where the service takes it in the clear', () => {
    const [plain] = prepare({ name: 'send' }, materialOf('payments', { key: null }));
    expect([targetOf(plain), bodyOf(plain)]).toEqual(['/admin/payments?payee=Harbour+Supplies&size=5', null]);
    expect(headersOf(plain)).not.toHaveProperty('Api-Encryption');
  });
});
