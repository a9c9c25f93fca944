import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * The metrics of the process, as prom-client collects and names them, so that existing dashboards show them. There is
 * one registry for the process, since its observers can't be ended: they would outlive each server of a test.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
