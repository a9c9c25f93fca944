// For `node --require`: WebAssembly is not optimised. An embedded database takes less time to start than that takes.
require('node:v8').setFlagsFromString('--liftoff-only');
