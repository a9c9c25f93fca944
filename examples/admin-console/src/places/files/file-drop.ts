import { useWindowEvent } from '@mantine/hooks';
import { useState } from 'react';

/**
 * Takes files that are dropped anywhere on the page: one that misses a target would be opened in place of the page.
 *
 * @param onDrop null: drops are ignored. It gets null for a folder.
 * @returns whether files are being dragged over the page
 */
export function useFileDrop(onDrop: ((files: readonly (File | null)[]) => void) | null): boolean {
  const [isOver, setOver] = useState(false);
  useWindowEvent('dragover', (event) => {
    if (onDrop === null || !carriesFiles(event)) return;
    event.preventDefault();
    setOver(true);
  });
  useWindowEvent('dragleave', (event) => {
    // It has left the window.
    if (event.relatedTarget === null) setOver(false);
  });
  useWindowEvent('drop', (event) => {
    if (onDrop === null || !carriesFiles(event)) return;
    event.preventDefault();
    setOver(false);
    onDrop(filesOf(event));
  });
  return isOver;
}

function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') === true;
}

function filesOf({ dataTransfer }: DragEvent): readonly (File | null)[] {
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  return items.map((item) => (item.webkitGetAsEntry()?.isDirectory === true ? null : item.getAsFile()));
}
