import { describe, expect, test } from 'vitest';
import { anything, argumentCheck, callback, optional, text } from '../../src/options/index.js';

const rules = {
  username: text({ maxLength: 10 }),
  deviceToken: anything(),
  verify: optional(callback({ that: 'verifies' })),
};

describe('arguments of calls', () => {
  const check = argumentCheck('shop.enter', rules);
  const checkSubject = argumentCheck('shop.enter', rules, { argument: 'subject', isOpen: true });

  test('ADP-1 a right argument passes, and a member that is there as undefined counts as not given', () => {
    expect(() => check({ username: 'ada', deviceToken: {}, verify: () => true })).not.toThrow();
    expect(() => check({ username: 'ada', deviceToken: undefined, verify: undefined })).not.toThrow();
  });

  test('ADP-1 every fault is in one TypeError that names the call, and no value', () => {
    expect(() => check({ usrname: 'ada', deviceToken: 7, verify: 'secret' })).toThrow(
      new TypeError(
        'shop.enter: usrname is not an option; did you mean username?; and username is required: ' +
          'a text, 1 to 10 characters; and verify must be a function that verifies',
      ),
    );
    expect(() => check({ username: 'ada', colour: 1 })).toThrow('the options are username, deviceToken, verify');
  });

  test('ADP-1 an argument that is no object is refused', () => {
    for (const given of [undefined, null, 'ada', 7, ['ada'], () => {}]) {
      expect(() => check(given)).toThrow('shop.enter: the argument must be an object with username, deviceToken');
      expect(() => checkSubject(given)).toThrow('shop.enter: subject must be an object with username, deviceToken');
    }
  });

  test('ADP-1 an open argument takes members of the caller, and refuses slips of the keyboard', () => {
    const added = { username: 'ada', request: {}, user: {}, userAgent: 'x', device: 'y', deviceId: 1, token: 't' };
    expect(() => checkSubject(added)).not.toThrow();
    for (const name of ['devicetoken', 'device_token', 'deviceTokne', 'deviceTokens', 'DEVICETOKEN']) {
      expect(() => checkSubject({ username: 'ada', [name]: 'x' })).toThrow(
        `shop.enter: subject.${name} is not an option; did you mean subject.deviceToken?`,
      );
      expect(() => checkSubject({ username: 'ada', deviceToken: 'x', [name]: 'x' })).not.toThrow();
    }
  });
});
