import { lazy } from 'react';
import { loadAhead } from './load-ahead.js';
import { SessionGate } from './session/session-gate.js';

/** Not loaded for the sign-in page. */
const loadFrame = () => import('./shell/frame.js');
const Frame = lazy(loadFrame);
loadAhead(loadFrame);

/** The administrators' side. */
export default function AdminSide() {
  return (
    <SessionGate>
      <Frame />
    </SessionGate>
  );
}
