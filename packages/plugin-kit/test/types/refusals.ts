// HSE-4: a switch over the codes of a table is exhaustive, and an error takes a text for each %s of its message.
import { refusalError } from '@sallyport/plugin-kit/refusal-errors';
import { defineRefusals } from '@sallyport/plugin-kit/refusals';

const refusals = defineRefusals({
  KEY_MISSING: { status: 401, retry: 'sign-in', en: 'Show your key.', 'zh-CN': '请出示密钥。' },
  ROOM_CLOSED: { status: 409, retry: 'never', message: '%s is closed', en: 'It is closed.', 'zh-CN': '已关闭。' },
});
type Code = keyof typeof refusals;

export function exhaustive(code: Code): 401 | 409 {
  switch (code) {
    case 'KEY_MISSING':
      return refusals[code].status;
    case 'ROOM_CLOSED':
      return refusals[code].status;
    default:
      return code satisfies never;
  }
}

export function incomplete(code: Code): 401 {
  switch (code) {
    case 'KEY_MISSING':
      return 401;
    default:
      // @ts-expect-error ROOM_CLOSED is left
      return code satisfies never;
  }
}

// @ts-expect-error no code of the table
refusalError(refusals, 'ROOM_CLOSD');
// @ts-expect-error no known word
defineRefusals({ A_B: { status: 400, retry: 'later', en: 'A.', 'zh-CN': 'A。' } });
// @ts-expect-error no Chinese text
defineRefusals({ A_B: { status: 400, retry: 'never', en: 'A.' } });

const RoomClosedError = refusalError(refusals, 'ROOM_CLOSED');
const closed = new RoomClosedError('Room 7', { cause: 1 });
closed.code satisfies 'ROOM_CLOSED';
closed.statusCode satisfies 409;
// @ts-expect-error without the text
new RoomClosedError();
const KeyMissingError = refusalError(refusals, 'KEY_MISSING');
new KeyMissingError();
// @ts-expect-error its message has no place for a text
new KeyMissingError('Room 7');
