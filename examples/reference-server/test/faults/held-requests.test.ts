import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../faults/held-requests.js';

const thief = { operation: 'payment', name: 'held' };
const answer = (status: number, code: string) => ({ status, headers: '', body: JSON.stringify({ code }) });
const refused = (reason: string) => ({ outcome: 'refused', reason });
const kindsOf = (...given: Parameters<typeof faultsOf>) => faultsOf(...given).map(({ kind }) => kind);

describe('the check of held requests', () => {
  it('TOK-13 accepts a refusal whose record says the same', () => {
    const lawful = { thief, answer: answer(401, 'SESSION_REVOKED'), made: 0, records: [refused('SESSION_REVOKED')] };
    expect(kindsOf(lawful, 'logout')).toEqual([]);
  });

  it.each([
    ['a row', { made: 1 }, ['ended-session-lives']],
    ['an acknowledgement', { answer: answer(201, '') }, ['ended-session-lives', 'refusal-without-record']],
    ['no record', { records: [] }, ['refusal-without-record']],
    ['another reason', { records: [refused('PERMISSION_DENIED')] }, ['refusal-without-record']],
    [
      'a success record beside',
      { records: [refused('SESSION_REVOKED'), { outcome: 'success', reason: null }] },
      ['refusal-without-record'],
    ],
  ])('TOK-13 finds %s: the scenario can fail', (_name, changed, kinds) => {
    const lawful = { thief, answer: answer(401, 'SESSION_REVOKED'), made: 0, records: [refused('SESSION_REVOKED')] };
    expect(kindsOf({ ...lawful, ...changed }, 'reset')).toEqual(kinds);
  });

  it('TOK-13 finds a request that was refused though nothing had ended', () => {
    expect(kindsOf({ thief, answer: answer(401, 'SESSION_REVOKED'), made: 0, records: [] }, null)).toEqual([
      'wrong-refusal',
    ]);
  });
});
