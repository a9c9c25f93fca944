export {
  type CheckpointLog,
  createFileCheckpoint,
  createLogCheckpoint,
  readCheckpointFile,
} from './checkpoint-lines.js';
export { type ChainEnd, type CheckpointWriter, createCheckpointSchedule } from './checkpoint-schedule.js';
