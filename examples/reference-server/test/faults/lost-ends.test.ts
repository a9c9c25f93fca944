import { describe, expect, it } from 'vitest';
import { faultOf } from '../../faults/lost-ends.js';

const kept = { ending: null, isStored: true };
const ended = { ending: 'reset', isStored: true } as const;

describe('the check of sessions after a loss', () => {
  it.each([
    ['an ended session that is refused', ended, 401, null],
    ['an ended session that answers', ended, 200, 'ended-session-lives'],
    ['an ended session that is found, and lacks a permission', ended, 403, 'ended-session-lives'],
    ['an ended session that nobody judges', ended, 503, 'ended-session-lives'],
    ['a kept session that goes on', kept, 200, null],
    ['a kept session that the store has, and that is refused', kept, 401, 'session-lost'],
    ['a kept session that nobody judges', kept, 503, 'session-lost'],
    ['a kept session that the store has lost', { ...kept, isStored: false }, 401, null],
  ])('TOK-15 knows %s', (_, session, status, kind) => {
    expect(faultOf(session, { status })).toBe(kind);
  });
});
