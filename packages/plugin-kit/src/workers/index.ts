export { type WorkerOwner, workerFile } from './worker-file.js';
