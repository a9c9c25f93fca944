import { lazy } from 'react';
import { SessionGate } from './session/session-gate.js';

/** Not loaded for the sign-in page. */
const Frame = lazy(() => import('./shell/frame.js'));

/** The administrators' side. */
export default function AdminSide() {
  return (
    <SessionGate>
      <Frame />
    </SessionGate>
  );
}
