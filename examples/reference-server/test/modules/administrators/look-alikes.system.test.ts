import { describe, expect, it } from 'vitest';
import { skeletonOf } from '../../../src/modules/administrators/skeleton.js';
import { describeLookAlikes } from './look-alikes.js';

describe('skeletons', () => {
  it.each([
    ['admin', '\u0430dmin'],
    ['admin', 'adrnin'],
    ['admin', 'ADM\u0131N'],
    ['admin', 'admi\u0307n'],
    ['admin', 'ADM\u0130N'],
    ['admin', 'adm\u0131\u0307n'],
    ['adm\u012fn', 'adm\u012f\u0307n'],
    ['jan', 'j\u0307an'],
    ['paypal', '\u0440\u0430\u0443\u0440\u0430l'],
    ['liu1', 'liul'],
    ['scope', '\u0455\u0441\u043e\u0440\u0435'],
    ['Ａｄａ', 'ada'],
  ])('USR-6 of %s and %s are the same', (name, other) => expect(skeletonOf(other)).toBe(skeletonOf(name)));

  it.each([
    ['admin', 'admim'],
    ['liu1', 'liu2'],
    ['ada', 'adá'],
    ['李华', '李花'],
    ['ada', 'a\u0307da'],
    ['irina', '\u00efrina'],
  ])('USR-6 of %s and %s differ', (name, other) => expect(skeletonOf(other)).not.toBe(skeletonOf(name)));

  it('USR-6 are their own skeletons, behind the version of the table and of the rules', () => {
    for (const name of ['admin', 'm0m', '\u0430\u0431\u0432', '李华', 'zoë']) {
      const [version, skeleton] = skeletonOf(name).split(':') as [string, string];
      expect(version).toMatch(/^\d+\.\d+\.\d+\/\d+$/);
      expect(skeletonOf(skeleton).toLowerCase()).toBe(skeletonOf(name).toLowerCase());
    }
  });
});

describe('names that look alike', () => describeLookAlikes('PostgreSQL'));
