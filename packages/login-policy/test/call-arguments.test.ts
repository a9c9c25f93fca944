import { describe, expect, it } from 'vitest';
import { createTestEngine, RIGHT } from './guesses.js';

const subject = { username: 'ada', terminal: 'web', clientIp: '192.0.2.7' };
const clientIp = subject.clientIp;

describe('arguments of calls', () => {
  const { engine } = createTestEngine();
  const calls = engine as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;

  it.each([
    ['attempt', [{ ...subject, devicetoken: 'x' }, RIGHT], 'subject.devicetoken', 'subject.deviceToken'],
    [
      'attempt',
      [{ ...subject, clientIp: undefined, clientIP: clientIp }, RIGHT],
      'subject.clientIP',
      'subject.clientIp',
    ],
    ['attempt', [{ ...subject, username: undefined, usrename: 'a' }, RIGHT], 'subject.usrename', 'subject.username'],
    ['attempt', [{ ...subject, terminal: undefined, terminl: 'a' }, RIGHT], 'subject.terminl', 'subject.terminal'],
    ['attempt', [subject, RIGHT, { preCheck: async () => {} }], 'options.preCheck', 'options.precheck'],
    ['clear', [{ username: 'ada', terminl: 'web' }], 'terminl', 'terminal'],
    ['clearAddress', [{ clientIP: clientIp }], 'clientIP', 'clientIp'],
    ['issueDeviceToken', [{ username: 'ada', replace: 'x' }], 'replace', 'replaces'],
    ['forgetDevices', [{ username: 'ada', terminl: 'web' }], 'terminl', 'terminal'],
    ['explain', [{ username: 'ada', clientIP: clientIp }], 'clientIP', 'clientIp'],
  ])('ADP-1 %s refuses a misspelt member: %j', async (call, given, name, meant) => {
    const called = calls[call]?.(...given);
    await expect(called).rejects.toThrow(TypeError);
    await expect(called).rejects.toThrow(`loginPolicy.${call}: ${name} is not an option; did you mean ${meant}?`);
  });

  it.each([
    ['attempt', [{ ...subject, clientIp: 'zz' }, RIGHT], 'subject.clientIp must be an IP address, such as request.ip'],
    ['attempt', [{ ...subject, clientIp: undefined }, RIGHT], 'subject.clientIp must be an IP address'],
    ['attempt', [undefined, RIGHT], 'subject must be an object with username'],
    ['attempt', [subject], 'verify must be a function that verifies the password'],
    ['attempt', [subject, RIGHT(), { precheck: RIGHT }], 'verify must be a function that verifies the password'],
    ['attempt', [subject, RIGHT, { precheck: true }], 'options.precheck must be a function'],
    ['attempt', [subject, RIGHT, { onPassed: {} }], 'options.onPassed must be a function'],
    ['attempt', [subject, RIGHT, { isFailure: /no/ }], 'options.isFailure must be a function'],
    ['attempt', [subject, RIGHT, null], 'options must be an object with isFailure, precheck, onPassed'],
    ['clear', ['ada'], 'the argument must be an object with username, terminal'],
    ['clearAddress', [{ clientIp: 7 }], 'clientIp must be an IP address, such as request.ip'],
    ['issueDeviceToken', ['ada'], 'the argument must be an object with username, terminal, replaces'],
    ['forgetDevices', [], 'the argument must be an object with username, terminal'],
    ['explain', [{ username: 'ada', clientIp: 7 }], 'clientIp must be an IP address, such as request.ip'],
  ])('ADP-1 %s refuses a value of a wrong type: %j', async (call, given, message) => {
    const called = calls[call]?.(...given);
    await expect(called).rejects.toThrow(TypeError);
    await expect(called).rejects.toThrow(`loginPolicy.${call}: ${message}`);
  });

  it('LGN-13 a refused call verifies and counts nothing; an application may add members to the subject', async () => {
    const { counters } = await engine.explain({ username: 'ada', clientIp });
    for (const counter of counters) expect(counter).toMatchObject({ failures: 0, inFlight: 0 });
    expect(await engine.attempt({ ...subject, request: {}, userAgent: 'x', device: 1 } as never, RIGHT)).not.toBeNull();
  });
});
