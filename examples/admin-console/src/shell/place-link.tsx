import { Badge, NavLink } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { useDraftCount } from '../drafts/drafts.js';
import { useFormats } from '../language/formats.js';
import { defineTexts, useTexts } from '../language/language.js';

const texts = defineTexts({
  en: { unsaved: (count: string) => `${count} not saved` },
  'zh-CN': { unsaved: (count: string) => `${count} 项未保存` },
});

export interface PlaceLinkProps {
  readonly path: string;
  readonly label: string;
  readonly icon: ReactNode;
  readonly isHere: boolean;
  onClick(): void;
}

/** The way to a place. It says what the user has not saved there. */
export function PlaceLink({ path, label, icon, isHere, onClick }: PlaceLinkProps) {
  const t = useTexts(texts);
  const { number } = useFormats();
  const id = useId();
  const count = useDraftCount(path);
  const mark = (
    <Badge id={id} size="sm" variant="light" color="yellow" aria-hidden>
      {t.unsaved(number(count))}
    </Badge>
  );
  return (
    <NavLink
      component={Link}
      href={path}
      label={label}
      leftSection={icon}
      bdrs="sm"
      py={6}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      rightSection={count > 0 ? mark : undefined}
      // The name of the place stays its name.
      aria-describedby={count > 0 ? id : undefined}
      onClick={onClick}
    />
  );
}
