import { describe, expect, it } from 'vitest';
import { findAction } from '../src/places/audit-log/filters/find-action.js';

const names = new Map([
  ['payment.create', 'Create a payment'],
  ['payment.read', 'Read payments'],
  ['system-parameter.read', 'Read system parameters'],
  ['system-parameter.update', 'Change a system parameter'],
  ['password.rehash', '更新密码的存储散列'],
]);

describe('a typed action', () => {
  it.each([
    ['payment', 'payment'],
    ['payment.c*', 'payment.c*'],
    ['Payment.Create', 'payment.create'],
    ['*', '*'],
    ['parameter', 'system-parameter.'],
    ['a system par', 'system-parameter.update'],
    ['存储散列', 'password.rehash'],
    ['rehash', 'password.rehash'],
    ['payment.read, password.rehash', 'payment.read,password.rehash'],
  ])('CON-8 %s means %s', (typed, action) => {
    expect(findAction(typed, names)).toEqual({ action });
  });

  it.each([
    ['read', ['payment.read', 'system-parameter.read']],
    ['pymnet', ['payment.create']],
    ['payment.read,pymnet', ['payment.read']],
  ])('CON-8 %s means no action alone: the nearest ones are named', (typed, nearest) => {
    expect(findAction(typed, names)).toMatchObject({ nearest: expect.arrayContaining(nearest) });
  });

  it('CON-8 every action is taken until the known ones are read', () => {
    expect(findAction('nothing', new Map())).toEqual({ action: 'nothing' });
  });
});
