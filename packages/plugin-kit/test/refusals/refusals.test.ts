import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { defineRefusals } from '@sallyport/plugin-kit/refusals';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';

const refusals = defineRefusals({
  KEY_MISSING: { status: 401, retry: 'sign-in', en: 'No key. Show yours.', 'zh-CN': '请出示密钥。' },
  ROOM_CLOSED: { status: 409, retry: 'never', message: '%s is closed', en: 'It is closed.', 'zh-CN': '已关闭。' },
});

describe('refusals', () => {
  it('HSE-4 an error has the code, the status and the message of its row, which Fastify sends', async () => {
    class RoomClosedError extends refusalError(refusals, 'ROOM_CLOSED') {}
    const app = Fastify();
    app.get('/', async () => {
      throw new RoomClosedError('Room 7', { cause: new Error('It burns') });
    });
    const answer = await app.inject('/');
    const body = { statusCode: 409, code: 'ROOM_CLOSED', error: 'Conflict', message: 'Room 7 is closed' };
    expect([answer.statusCode, answer.json()]).toEqual([409, body]);
    expect(RoomClosedError.code).toBe('ROOM_CLOSED');
    expect(new RoomClosedError('Room 7', { cause: 1 }).cause).toBe(1);
  });

  it('HSE-4 without a message of its own, an error has the first sentence of that for people', () => {
    const KeyMissingError = refusalError(refusals, 'KEY_MISSING');
    expect(new KeyMissingError()).toMatchObject({ code: 'KEY_MISSING', statusCode: 401, message: 'No key' });
  });

  it('HSE-4 an error may have another base, and no stack', () => {
    const Refused = refusalError(refusals, 'KEY_MISSING', { base: TypeError, hasStack: false });
    expect(new Refused()).toBeInstanceOf(TypeError);
    expect(new Refused().stack).toBeUndefined();
  });
});
