import { Box, Stack, Text } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../language/language.js';
import { type GroupName, groupNames, type Place, placeNames } from '../places/places.js';
import { PlaceLink } from './place-link.js';

export interface NavigationProps {
  /** Those that the user may open. */
  readonly open: readonly Place[];
  readonly here: Place | undefined;
  onChoose(): void;
}

/** The ways to the places, by group. */
export function Navigation({ open, here, onChoose }: NavigationProps) {
  const id = useId();
  const groups = useTexts(groupNames);
  const names = useTexts(placeNames);
  const shown = [...new Set(open.map(({ group }) => group))];
  const headingOf = (group: GroupName) => `${id}-${group}`;
  return (
    <Stack gap="md">
      {shown.map((group) => (
        <div key={group}>
          <Text id={headingOf(group)} size="xs" fw={600} c="dimmed" px="sm" pb={4}>
            {groups[group]}
          </Text>
          <Box component="ul" aria-labelledby={headingOf(group)} m={0} p={0} style={{ listStyle: 'none' }}>
            {open
              .filter((place) => place.group === group)
              .map((place) => (
                <li key={place.path}>
                  <PlaceLink
                    path={place.path}
                    label={names[place.name]}
                    icon={place.icon}
                    isHere={here === place}
                    onClick={onChoose}
                  />
                </li>
              ))}
          </Box>
        </div>
      ))}
    </Stack>
  );
}
