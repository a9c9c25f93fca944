import { beforeEach, describe, expect, it } from 'vitest';
import { normaliseUsername } from '../../../packages/login-policy/src/login-account.js';
import { comparedName, openDeviceTokens } from '../src/session/device-tokens.js';

let kept: Map<string, string>;
beforeEach(() => {
  // A salt with which none of the names below have the same mark.
  kept = new Map([['devices', '0123456789abcdef'.repeat(2)]]);
});

const storage = {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => void kept.set(name, value),
};

const open = () =>
  openDeviceTokens(
    'devices',
    (name) => name.toLowerCase(),
    () => storage,
  );

describe('the device tokens of a browser', () => {
  it('LGN-12 each account has its own, in each way to write its name, also after a reload', () => {
    open().keep('Anna', 'token-of-anna');
    open().keep('bert', 'token-of-bert');
    expect(open().memberOf('ANNA')).toEqual({ deviceToken: 'token-of-anna' });
    expect(open().memberOf('bert')).toEqual({ deviceToken: 'token-of-bert' });
    expect(open().memberOf('carl')).toEqual({});
  });

  it('LGN-12 a name is written as the service compares it, also where lower case composes with a mark', () => {
    const marks = Array.from({ length: 0x70 }, (_, index) => String.fromCodePoint(0x300 + index));
    const letters = Array.from({ length: 0x200 }, (_, index) => String.fromCodePoint(0x41 + index));
    const names = letters.flatMap((letter) => marks.map((mark) => `a${letter}${mark}b`));
    const known = names.filter((name) => normaliseUsername(name) !== null);
    expect(known.filter((name) => comparedName(name) !== normaliseUsername(name))).toEqual([]);
    // Normalising once would take these for other names.
    const differ = known.filter((name) => name.normalize('NFKC').toLowerCase() !== comparedName(name)).length;
    expect(differ).toBeGreaterThan(4);
  });

  it('LGN-12 the next token of an account replaces its last one', () => {
    open().keep('anna', 'first');
    open().keep('bert', 'other');
    open().keep('anna', 'second');
    expect(open().memberOf('anna')).toEqual({ deviceToken: 'second' });
    expect(kept.get('devices')?.match(/first|second|other/g)).toEqual(['other', 'second']);
  });

  it('LGN-12 keeps eight accounts, those that signed in last', () => {
    for (let index = 0; index < 20; index += 1) open().keep(`name-${index}`, `token-${index}.`);
    const tokens = kept.get('devices')?.split('\n').slice(1) ?? [];
    expect(tokens).toHaveLength(8);
    expect(tokens.at(-1)).toMatch(/ token-19\.$/);
    expect(open().memberOf('name-0')).toEqual({});
  });

  it('LGN-12 the storage does not tell the names, nor their digests', () => {
    kept.clear();
    open().keep('anna', 'token');
    const [salt, line] = kept.get('devices')?.split('\n') ?? [];
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
    expect(line).toMatch(/^[0-9a-f]{4} token$/);
  });

  it.each(['', 'a token alone, as once', '{"a":1}', '\n\n'])('LGN-12 begins anew over %j', (text) => {
    kept.set('devices', text);
    expect(open().memberOf('anna')).toEqual({});
    open().keep('anna', 'token');
    expect(open().memberOf('anna')).toEqual({ deviceToken: 'token' });
  });
});
