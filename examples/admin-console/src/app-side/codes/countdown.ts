import { useEffect, useReducer } from 'react';

/** The whole seconds until a moment, counted down. 0: it has passed. */
export function useSecondsUntil(moment: number): number {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (moment <= Date.now()) return;
    const timer = setInterval(() => {
      tick();
      if (moment <= Date.now()) clearInterval(timer);
    }, 500);
    return () => clearInterval(timer);
  }, [moment]);
  return Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}
