import type { ReactNode } from 'react';

/** Drawings in the color of the text. The name next to each says what it means. */
function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const personIcon = (
  <Icon>
    <circle cx="12" cy="8" r="4" />
    <path d="M4 20c1.5-4 4.5-5.5 8-5.5s6.5 1.5 8 5.5" />
  </Icon>
);

export const filesIcon = (
  <Icon>
    <path d="M6 3h8l5 5v13H6z" />
    <path d="M14 3v5h5" />
  </Icon>
);

export const lockIcon = (
  <Icon>
    <rect x="5" y="11" width="14" height="10" rx="2" />
    <path d="M8 11V7a4 4 0 0 1 8 0v4" />
  </Icon>
);
