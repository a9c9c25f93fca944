import type { ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import { groupNames, places } from '../src/places/places.js';

describe('the navigation', () => {
  it('CON-10 has the places of a group together, the groups in their order, and none that is empty', () => {
    const groups = places.map(({ group }) => group);
    const begun = groups.filter((group, index) => group !== groups[index - 1]);
    expect(begun).toEqual(Object.keys(groupNames.en));
  });

  it('CON-10 has a drawing of its own for each place', () => {
    const drawings = places.map(({ icon }) => (icon as ReactElement<{ children: ReactElement<{ d: string }> }>).props);
    const paths = drawings.map(({ children }) => children.props.d);
    expect(new Set(paths).size).toBe(places.length);
    for (const path of paths) expect(path).toMatch(/^M/);
  });
});
