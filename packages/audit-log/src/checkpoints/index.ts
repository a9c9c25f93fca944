export { type CheckpointWriter, createCheckpointDelivery, writersRule } from './checkpoint-delivery.js';
export {
  type CheckpointLog,
  createFileCheckpoint,
  createLogCheckpoint,
  readCheckpointFile,
} from './checkpoint-lines.js';
export { createCheckpointMaker } from './checkpoint-maker.js';
export { createCheckpointSchedule } from './checkpoint-schedule.js';
export { type AuditIncident, createHistoryWatch, type DatabaseIdentity } from './history-watch.js';
export { createHttpCheckpoint, HTTP_CHECKPOINT_DEFAULTS, type HttpCheckpointOptions } from './http-checkpoint.js';
export {
  type CheckpointObject,
  createS3Checkpoint,
  S3_CHECKPOINT_DEFAULTS,
  type S3CheckpointOptions,
} from './s3-checkpoint.js';
export { CheckpointRefusedError, storeSignedHead } from './signed-head.js';
