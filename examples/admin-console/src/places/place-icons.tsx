import type { ReactNode } from 'react';

/** A drawing of 20 by 20 in the color of the text. The name next to it says what it means. */
function icon(path: string): ReactNode {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

export const placeIcons = {
  watch: icon('M2.5 10.5h3.5l2-5.5 4 10 2-4.5h3.5'),
  sessions: icon('M2.5 4h15v9.5h-15zM7 17h6M10 13.5V17'),
  loginLimits: icon('M4.5 9h11v8h-11zM7 9V6a3 3 0 0 1 6 0v3M10 12v2'),
  auditLog: icon('M5 2.5h10v15H5zM7.5 6.5h5M7.5 10h5M7.5 13.5h3'),
  administrators: icon('M10 9.5a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5zM3.5 17c.8-3.2 3-5 6.5-5s5.7 1.8 6.5 5'),
  roles: icon('M10 2.5l6.5 2.5v4.5c0 4-2.7 6.5-6.5 8-3.8-1.5-6.5-4-6.5-8V5zM7.2 9.7l2 2 3.6-3.7'),
  appUsers: icon('M6 2.5h8v15H6zM9 15h2'),
  payments: icon('M2.5 5h15v10h-15zM2.5 8.5h15M5.5 12h3'),
  files: icon('M5 2.5h6.5L15 6v11.5H5zM11.5 2.5V6H15'),
  notifications: icon('M3 4.5h14v9H9L5.5 17v-3.5H3zM6.5 8h7M6.5 10.5h4'),
  parameters: icon('M3 6h6.5M13.5 6H17M3 14h3.5M10.5 14H17M11.5 4v4M8.5 12v4'),
  laboratory: icon('M8 2.5v5l-4.5 8a1.3 1.3 0 0 0 1.2 2h10.6a1.3 1.3 0 0 0 1.2-2L12 7.5v-5M6.5 2.5h7M6 13h8'),
} as const;
