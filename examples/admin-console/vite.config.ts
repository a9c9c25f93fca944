import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server puts the nonce of each answer in the place of this text. */
const NONCE_PLACE = '__CSP_NONCE__';

/** The service that `vite dev` sends the requests of the page to. */
const SERVICE = process.env.CONSOLE_SERVICE ?? 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  // The packages of this repository as their sources: nothing has to be compiled first.
  resolve: { conditions: ['@sallyport/source', 'module', 'browser', 'development|production'] },
  html: { cspNonce: NONCE_PLACE },
  server: {
    proxy: Object.fromEntries(
      ['/admin', '/app', '/auth', '/public', '/encryption', '/idempotency', '/dev', '/actuator'].map((path) => [
        path,
        SERVICE,
      ]),
    ),
  },
  build: {
    // Below this size Vite writes files as `data:` URLs, which the policy of the page forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'es2022',
    rolldownOptions: {
      // On a busy machine it would say that plugins are slow.
      checks: { bundlerTimings: false },
      output: {
        // One chunk of what both sides begin with compresses better than the five of the bundler's own choice.
        codeSplitting: { groups: [{ name: 'base', tags: ['$initial'] }] },
      },
    },
  },
  worker: { format: 'es' },
});
